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
  away: Type.Optional(Type.Array(Type.String(), { description: "What is out of reach." })),
  postgres: Type.Boolean(),
  nats: Type.Boolean(),
});

const live = openOperation(
  { id: "isLive", tag: "Health", summary: "Is the process alive?" },
  { 200: { description: "It is.", schema: Live, example: { status: "live" } } },
);

const ready = openOperation(
  { id: "isReady", tag: "Health", summary: "Can it do its work?" },
  {
    200: {
      description: "It can.",
      schema: Ready,
      example: { status: "ready", postgres: true, nats: true },
    },
    503: {
      description: "Something is out of reach.",
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
