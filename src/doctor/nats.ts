import { connect, type NatsConnection, type StreamConfig } from "nats";
import { describeError } from "../runtime/log";
import type { Config } from "../service/config";
import { natsOptions } from "../stream/connection";
import { MAX_MESSAGE_BYTES } from "../stream/hint";
import { refusalOf } from "../stream/publisher";
import { isMissing, PROBE_SUBJECT, STREAM } from "../stream/topology";
import { type Finding, type Findings, findingsOf } from "./finding";

const ANSWER_MS = 5_000;
/** The oldest version whose consumers can filter several subjects: major and minor. */
const LEAST_VERSION = [2, 10] as const;

/** Checks the NATS of NATS_URL without changing anything. */
export async function checkNats(config: Config): Promise<readonly Finding[]> {
  const found = findingsOf("nats");
  if (config.natsUrl === null) {
    found.ok("embedded, not checked: for a check run `bun start services` and set its NATS_URL");
    return found.all;
  }
  try {
    const options = natsOptions(config.natsUrl, config.natsCredentials);
    const nats = await connect({ ...options, name: "hermod-doctor", timeout: ANSWER_MS, reconnect: false });
    try {
      await checkServer(nats, config, found);
    } finally {
      await nats.close();
    }
  } catch (error) {
    // A fault, although deliveries continue from Postgres: they are slower.
    found.fault(`can't be used: ${describeError(error).error}. Check NATS_URL and the credentials.`);
  }
  return found.all;
}

async function checkServer(nats: NatsConnection, config: Config, found: Findings): Promise<void> {
  const { version = "", max_payload = 0, jetstream } = nats.info ?? {};
  found.ok(`version ${version} answers`);
  if (isOlder(version)) found.fault("use NATS 2.10 or later");
  if (max_payload < MAX_MESSAGE_BYTES)
    found.warning(
      `max_payload is ${max_payload}: with ${MAX_MESSAGE_BYTES} or more, large payloads need not be read from Postgres`,
    );
  if (!jetstream) {
    found.fault("JetStream is off: start the server with --jetstream");
    return;
  }
  try {
    await checkStream(nats, config, found);
  } catch (error) {
    found.fault(`JetStream can't be used: ${describeError(error).error}. Enable it for Hermod's account.`);
  }
}

async function checkStream(nats: NatsConnection, config: Config, found: Findings): Promise<void> {
  const manager = await nats.jetstreamManager({ timeout: ANSWER_MS });
  const { limits, streams } = await manager.getAccountInfo();
  const stream = await manager.streams.info(STREAM).catch((error) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (stream) {
    const { messages, bytes } = stream.state;
    found.ok(`the stream ${STREAM} has ${messages} messages, ${bytes} of ${stream.config.max_bytes} bytes`);
    compareStream(stream.config, config, found);
    await checkStorage(nats, found);
  } else {
    found.ok(`the stream ${STREAM} does not exist yet; the next start creates it`);
    if (limits.max_streams >= 0 && streams >= limits.max_streams)
      found.fault(`the account may have no more than ${limits.max_streams} streams: allow one more`);
  }
  if (limits.max_storage >= 0 && limits.max_storage < config.streamMaxBytes)
    found.warning(
      `the account may store ${limits.max_storage} bytes, less than HERMOD_STREAM_MAX_BYTES: raise the one or lower the other`,
    );
}

function compareStream({ max_bytes, num_replicas }: StreamConfig, config: Config, found: Findings): void {
  const { streamMaxBytes, streamReplicas } = config;
  if (max_bytes !== streamMaxBytes)
    found.warning(
      `the stream may hold ${max_bytes} bytes, and HERMOD_STREAM_MAX_BYTES is ${streamMaxBytes}: give NATS the disk or change the setting`,
    );
  if (num_replicas !== streamReplicas)
    found.warning(
      `the stream has ${num_replicas} replicas, and HERMOD_STREAM_REPLICAS is ${streamReplicas}: add servers or change the setting`,
    );
}

/** Publishes a message that nobody reads. A server without disk shows all else as usual. */
async function checkStorage(nats: NatsConnection, found: Findings): Promise<void> {
  const refusal = await nats
    .request(PROBE_SUBJECT, undefined, { timeout: ANSWER_MS })
    .then(refusalOf, (error) => describeError(error).error);
  if (refusal === null) found.ok(`the stream ${STREAM} stores messages`);
  else found.fault(`the stream ${STREAM} stores nothing: ${refusal}. Look at the disk and the log of NATS.`);
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]);
}
