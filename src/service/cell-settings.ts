import { type CellAddress, parseCells } from "../cells/cell-list";
import { credentialsIn } from "../stream/connection";
import type { EnvironmentReader } from "./environment";

/** The cells of an installation, and their directory. */
export type CellSettings = Readonly<{
  /** The cell of this process; null for a router. */
  own: string | null;
  all: readonly CellAddress[];
  natsUrl: string;
  natsCredentials: string | null;
}>;

const [OWN, ALL, NATS] = ["HERMOD_CELL", "HERMOD_CELLS", "HERMOD_CELLS_NATS_URL"] as const;

/** Reads the settings of cells, which an API needs that is a cell's, and a router. Null for other processes. */
export function readCells(read: EnvironmentReader, user: "api" | "router" | null): CellSettings | null {
  const isRouter = user === "router";
  const own = read.text(OWN);
  const all = read.parsed(ALL, parseCells);
  const natsUrl = read.urls(NATS, ["nats:", "tls:"]);
  const natsCredentials = read.checked("HERMOD_CELLS_NATS_CREDENTIALS", credentialsIn);
  if (user === null || (own === null && !isRouter)) return null;
  const reason = isRouter ? "for the role router" : `since ${OWN} is`;
  for (const name of [ALL, NATS]) if (!read.isGiven(name)) read.problem(`${name} must be set, ${reason}`);
  if (all === null || natsUrl === null) return null;
  if (isRouter) return { own: null, all, natsUrl, natsCredentials };
  if (!all.some(({ name }) => name === own))
    read.problem(`${OWN} must be one of ${ALL}, which has ${all.map(({ name }) => name).join(", ")}`);
  return { own, all, natsUrl, natsCredentials };
}
