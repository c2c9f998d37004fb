import { type Config, readConfig } from "../../src/service/config";
import type { TestDatabase } from "./postgres";
import { testNatsUrl } from "./servers";

// Starts NATS when this module is loaded, since a hook's time may not suffice.
await testNatsUrl();

/** The admin key of a service with `configOn`. */
export const ADMIN_KEY = "a-key-of-twenty-characters";

/** Returns the configuration of a whole service in this process, on the test servers. */
export async function configOn(
  database: TestDatabase,
  dataDir: string,
  env: Record<string, string> = {},
): Promise<Config> {
  return readConfig({
    PORT: "0",
    DATABASE_URL: database.url,
    NATS_URL: await testNatsUrl(),
    HERMOD_ADMIN_KEY: ADMIN_KEY,
    HERMOD_DATA_DIR: dataDir,
    HERMOD_PARTITIONS: "8",
    HERMOD_STREAM_MAX_BYTES: "20000000",
    ...env,
  });
}
