import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answer } from "./answer";
import type { Readiness } from "./dependencies";
import { openOperation } from "./openapi/operation";
import { words } from "./openapi/schema";

export type HealthOptions = { readiness(): Promise<Readiness> };

const Live = Type.Object({ status: words(["live"]) });
const Ready = Type.Object({
  status: words(["ready", "unready"]),
  away: Type.Optional(
    Type.Array(Type.String(), { description: "What can't be reached: `postgres`, `nats`." }),
  ),
  postgres: Type.Boolean(),
  nats: Type.Boolean(),
});

const live = openOperation(
  { id: "isLive", tag: "Health", summary: "Whether the process is alive" },
  { 200: { description: "It is alive.", schema: Live, example: { status: "live" } } },
);

const ready = openOperation(
  { id: "isReady", tag: "Health", summary: "Whether the process can do its work" },
  {
    200: {
      description: "It can: Postgres and NATS answer.",
      schema: Ready,
      example: { status: "ready", postgres: true, nats: true },
    },
    503: {
      description: "Postgres or NATS can't be reached.",
      schema: Ready,
      example: { status: "unready", away: ["nats"], postgres: true, nats: false },
    },
  },
);

/** For load balancers and orchestrators; needs no key. */
export function healthRoutes({ readiness }: HealthOptions) {
  return new Elysia({ prefix: "/health" })
    .get("/live", () => answer(null, 200, { status: "live" }), { detail: live })
    .get(
      "/ready",
      async () => {
        const parts = await readiness();
        const away = Object.entries(parts).flatMap(([name, isThere]) => (isThere ? [] : [name]));
        if (away.length === 0) return answer(null, 200, { status: "ready", ...parts });
        return answer(null, 503, { status: "unready", away, ...parts });
      },
      { detail: ready },
    );
}
