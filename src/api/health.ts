import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Clock } from "../runtime/clock";
import { answer } from "./answer";
import type { Readiness } from "./dependencies";
import { Query, refuseUnknownParameters } from "./lists/query";
import { openOperation } from "./openapi/operation-detail";
import { named, word, words } from "./openapi/schema";

export type HealthOptions = { readiness(): Promise<Readiness>; clock: Clock };

/** A readiness answer is reused for this long. Each check asks Postgres and NATS, and needs no key. */
const READINESS_MS = 1_000;

const Live = named("Liveness", Type.Object({ status: word("live") }));
const Ready = named(
  "Readiness",
  Type.Object({
    status: words("ReadinessStatus", ["ready", "degraded", "unready"]),
    away: Type.Optional(
      Type.Array(Type.String(), { description: "The servers that can't be reached: `postgres`, `nats`." }),
    ),
    postgres: Type.Boolean(),
    nats: Type.Boolean(),
    writes: Type.Boolean({
      description: "False while Postgres refuses writes, because its disk is full or it is read-only.",
    }),
  }),
);

const ReadyQuery = Type.Object({
  require: Type.Optional(
    words("Requirement", ["nats", "writes"], {
      description:
        "Answers 503 also if NATS can't be reached (`nats`), or while Postgres refuses writes (`writes`).",
    }),
  ),
});

const PARAMETERS = ["require"] as const;
const SERVERS = ["postgres", "nats"] as const;

const liveness = openOperation(
  { id: "isLive", tag: "Health", summary: "Whether the process is alive", errors: [400] },
  { 200: { description: "The process is alive.", schema: Live, example: { status: "live" } } },
);

const readiness = openOperation(
  {
    id: "isReady",
    tag: "Health",
    summary: "Whether the process can do its work",
    query: ReadyQuery,
    errors: [400],
  },
  {
    200: {
      description:
        "Postgres answers. `degraded`: NATS can't be reached, and deliveries continue from Postgres; or Postgres refuses writes, " +
        "and requests that only read still work.",
      schema: Ready,
      example: { status: "ready", postgres: true, nats: true, writes: true },
    },
    503: {
      description:
        "Postgres can't be reached, or NATS with `require=nats`, or Postgres refuses writes with `require=writes`.",
      schema: Ready,
      example: { status: "unready", away: ["postgres"], postgres: false, nats: true, writes: true },
    },
  },
);

/** Answers whether the process can do its work. */
export type ReadyCheck = (request: Request) => Promise<Response>;

/** Serves /health to load balancers and orchestrators, without a key. */
export function healthRoutes(ready: ReadyCheck) {
  return new Elysia({ prefix: "/health" })
    .get(
      "/live",
      ({ request }) => {
        refuseUnknownParameters(request.url, []);
        return answer(null, 200, { status: "live" });
      },
      { detail: liveness },
    )
    .get("/ready", ({ request }) => ready(request), { detail: readiness });
}

/** Checks the servers of a process: it is ready while Postgres answers. */
export function serversReady(options: HealthOptions): ReadyCheck {
  const look = reused(options);
  return async (request) => {
    const required = readRequire(request);
    const parts = await look();
    const away = SERVERS.filter((name) => !parts[name]);
    const shown = { ...(away.length > 0 && { away }), ...parts };
    if (away.length === 0 && parts.writes) return answer(null, 200, { status: "ready", ...shown });
    const works = parts.postgres && (required === undefined || parts[required]);
    if (works) return answer(null, 200, { status: "degraded", ...shown });
    return answer(null, 503, { status: "unready", ...shown });
  };
}

/**
 * Returns what must work beside Postgres. Throws 400 for unknown parameters, because ignoring a mistyped one would report a
 * process without NATS as ready.
 */
function readRequire({ url }: Request): "nats" | "writes" | undefined {
  refuseUnknownParameters(url, PARAMETERS);
  return new Query(url, PARAMETERS).oneOf("require", ["nats", "writes"]);
}

/** Shares one check among requests within `READINESS_MS`. */
function reused({ readiness, clock }: HealthOptions): () => Promise<Readiness> {
  let last: { startedAt: number; looking: Promise<Readiness> } | null = null;
  return () => {
    const now = clock.monotonic();
    if (last === null || now - last.startedAt >= READINESS_MS)
      last = { startedAt: now, looking: readiness() };
    return last.looking;
  };
}
