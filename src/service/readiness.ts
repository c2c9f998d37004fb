import type { Readiness } from "../api/dependencies";
import type { Core } from "./core";

const TIMEOUT_MS = 2_000;

/** Checks in bounded time whether Postgres and NATS answer. */
export async function readinessOf(core: Core): Promise<Readiness> {
  const [postgres, nats] = await Promise.all([postgresAnswers(core), natsAnswers(core)]);
  return { postgres, nats, writes: core.writability.isWritable };
}

export function postgresAnswers({ queries }: Core): Promise<boolean> {
  const asked = queries.run((sql) => sql`select 1`, TIMEOUT_MS);
  return asked.then(
    () => true,
    () => false,
  );
}

export function natsAnswers({ connection }: Core): Promise<boolean> {
  return connection.answers(TIMEOUT_MS);
}
