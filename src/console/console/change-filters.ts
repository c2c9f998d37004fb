import { type Filters, rangeOf, readFilters } from "../pages/delivery-filters";
import type { AuditEntry } from "./change-words";

/** The filters of the page of changes. All are in the URL. */
export type ChangeFilters = Readonly<{
  /** `key:` and the key's id, or `person:` and the name. */
  actor: string | null;
  operation: string | null;
  target: string | null;
  time: string | null;
  after: string | null;
  before: string | null;
  /** True for the changes in all accounts. */
  isEverywhere: boolean;
}>;

const NAMES = ["actor", "operation", "target", "time", "after", "before"] as const;

export function readChangeFilters(params: URLSearchParams): ChangeFilters {
  const [actor = null, operation = null, target = null, time = null, after = null, before = null] = NAMES.map(
    (name) => params.get(name),
  );
  return { actor, operation, target, time, after, before, isEverywhere: params.get("in") === "all" };
}

/** Returns the parameters of GET /activity and GET /admin/audit. */
export function queryOfChanges(filters: ChangeFilters, now: number) {
  const { actor, operation, target } = filters;
  return {
    key_id: partBehind(actor, "key:"),
    person: partBehind(actor, "person:"),
    operation: operation ?? undefined,
    target: target ?? undefined,
    ...rangeOf(filters, now),
  };
}

function partBehind(text: string | null, prefix: string): string | undefined {
  return text?.startsWith(prefix) ? text.slice(prefix.length) : undefined;
}

/** Returns the value of the filter that finds the changes of an actor; null for one that no filter finds. */
export function actorFilterOf({ actor }: Pick<AuditEntry, "actor">): string | null {
  if (actor.kind === "person") return actor.name === null ? null : `person:${actor.name}`;
  return actor.id === null ? null : `key:${actor.id}`;
}

/** The time of the filters, for the choices of the other lists. */
export function timeOfChanges({ time, after, before }: ChangeFilters): Filters {
  return { ...readFilters(new URLSearchParams()), time, after, before };
}
