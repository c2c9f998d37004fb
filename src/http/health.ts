import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Clock } from "../runtime/clock";
import { answer } from "./answer";
import type { Readiness } from "./dependencies";
import { Query, refuseUnknownParameters } from "./lists/query";
import { openOperation } from "./openapi/operation";
import { named, words } from "./openapi/schema";

export type HealthOptions = { readiness(): Promise<Readiness>; clock: Clock };

/** A readiness answer is reused for this long. Each check asks Postgres and NATS, and needs no key. */
const READINESS_MS = 1_000;

const Live = named("Liveness", Type.Object({ status: words(["live"]) }));
const Ready = named(
  "Readiness",
  Type.Object({
    status: words(["ready", "degraded", "unready"]),
    away: Type.Optional(
      Type.Array(Type.String(), { description: "The servers that can't be reached: `postgres`, `nats`." }),
    ),
    postgres: Type.Boolean(),
    nats: Type.Boolean(),
  }),
);

const ReadyQuery = Type.Object({
  require: Type.Optional(
    words(["nats"], { description: "`nats`: answers 503 also if NATS can't be reached." }),
  ),
});

const PARAMETERS = ["require"] as const;

const live = openOperation(
  { id: "isLive", tag: "Health", summary: "Whether the process is alive", errors: [400] },
  { 200: { description: "The process is alive.", schema: Live, example: { status: "live" } } },
);

const ready = openOperation(
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
        "Postgres answers. `degraded` means that NATS can't be reached; deliveries continue from Postgres.",
      schema: Ready,
      example: { status: "ready", postgres: true, nats: true },
    },
    503: {
      description: "Postgres can't be reached; with `require=nats`, Postgres or NATS.",
      schema: Ready,
      example: { status: "unready", away: ["postgres"], postgres: false, nats: true },
    },
  },
);

/** Serves /health to load balancers and orchestrators, without a key. */
export function healthRoutes(options: HealthOptions) {
  const readiness = reused(options);
  return new Elysia({ prefix: "/health" })
    .get(
      "/live",
      ({ request }) => {
        refuseUnknownParameters(request.url, []);
        return answer(null, 200, { status: "live" });
      },
      { detail: live },
    )
    .get(
      "/ready",
      async ({ request }) => {
        const needsNats = readRequire(request);
        const parts = await readiness();
        const away = Object.entries(parts).flatMap(([name, isThere]) => (isThere ? [] : [name]));
        if (away.length === 0) return answer(null, 200, { status: "ready", ...parts });
        const works = parts.postgres && (parts.nats || !needsNats);
        if (works) return answer(null, 200, { status: "degraded", away, ...parts });
        return answer(null, 503, { status: "unready", away, ...parts });
      },
      { detail: ready },
    );
}

/**
 * True if NATS must answer too: `?require=nats`. Throws 400 for unknown parameters, because ignoring a mistyped one would report
 * a process without NATS as ready.
 */
function readRequire({ url }: Request): boolean {
  refuseUnknownParameters(url, PARAMETERS);
  return new Query(url, PARAMETERS).oneOf("require", ["nats"]) !== undefined;
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
