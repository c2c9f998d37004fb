import { join } from "node:path";

const MAIN = join(import.meta.dir, "../../src/main.ts");

/**
 * Returns the command that starts the service with these variables. `bun run test` compiles it once, since a start from source
 * takes four times the work. The binary embeds no servers, so a service that starts its own comes from source.
 */
export function programFor(env: Readonly<Record<string, string>>): string[] {
  const { TEST_HERMOD_BINARY: binary } = process.env;
  const needsNoServers = env.NODE_ENV === "production" || (env.DATABASE_URL && env.NATS_URL);
  return binary && needsNoServers ? [binary] : [process.execPath, MAIN];
}
