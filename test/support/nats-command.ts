/** The nats-server that tests start. HERMOD_TEST_NATS_SERVER sets another version than the package's. */
export const NATS_COMMAND = process.env.HERMOD_TEST_NATS_SERVER || undefined;
