import { Elysia } from "elysia";
import { answer } from "./answer";
import type { Readiness } from "./dependencies";

export type HealthOptions = { readiness(): Promise<Readiness> };

/** For load balancers and orchestrators; needs no key. */
export function healthRoutes({ readiness }: HealthOptions) {
  return new Elysia({ prefix: "/health" })
    .get("/live", () => answer(null, 200, { status: "live" }), { detail: { hide: true } })
    .get(
      "/ready",
      async () => {
        const parts = await readiness();
        const away = Object.entries(parts).flatMap(([name, isThere]) => (isThere ? [] : [name]));
        if (away.length === 0) return answer(null, 200, { status: "ready", ...parts });
        return answer(null, 503, { status: "unready", away, ...parts });
      },
      { detail: { hide: true } },
    );
}
