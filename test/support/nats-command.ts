/** The nats-server that tests run against, to try another version than the package's. */
export const NATS_COMMAND = process.env.HERMOD_TEST_NATS_SERVER || undefined;
