import { Accounts } from "./accounts/account";
import { ApiKeys } from "./accounts/api-keys";
import { Authenticator } from "./accounts/authenticator";
import { Plans } from "./accounts/plan";
import { RateLimiter } from "./accounts/rate-limit";
import { SharedWindows } from "./accounts/rate-window";
import { Usage } from "./accounts/usage";
import { createAddressPolicy } from "./attempt/address";
import { checkTargetUrl } from "./attempt/target";
import type { Core } from "./core";
import type { Erased } from "./deliveries/erasure";
import { Deliveries } from "./deliveries/history";
import { Stats } from "./deliveries/stats";
import { Owners } from "./dispatch/owners";
import type { Dispatching } from "./dispatching";
import type { Endpoints } from "./endpoints/endpoint";
import type { Place } from "./endpoints/place";
import { EventTypes } from "./event-types/event-type";
import { SchemaGate } from "./event-types/schema-gate";
import { Feeds } from "./feeds/feeds";
import { createApp } from "./http/app";
import { sweepIdempotencyKeys } from "./http/idempotency/sweep";
import { type HttpServer, serve } from "./http/serve";
import { FanOutCommit } from "./intake/fan-out-commit";
import { GroupCommit, type IntakeOptions } from "./intake/group-commit";
import { Replays } from "./intake/replays";
import { chooseSlots } from "./intake/slot";
import { erasureStep } from "./jobs/erasure-step";
import { Jobs } from "./jobs/jobs";
import { replayStep } from "./jobs/replay-step";
import { JobRunner } from "./jobs/runner";
import { ApiMeter } from "./metrics/api-meter";
import { readinessOf } from "./readiness";
import { resealing } from "./resealing";
import { within } from "./runtime/clock";
import { describeError } from "./runtime/log";
import { Loop } from "./runtime/loop";
import type { DeliveryMessage } from "./stream/message";
import { Publisher } from "./stream/publisher";
import { StreamPurge } from "./stream/purge";

/** The API role: from a request to its commit, and the reads. */
export type Api = Readonly<{
  /** Takes the port; resolves with it. */
  start(): Promise<number>;
  /** Takes no more requests, answers those under way, and publishes what they brought: in that time, as far as it can. */
  stop(withinMs: number): Promise<void>;
}>;

const SWEEP_EVERY_MS = 60_000;
/** How long requests under way may take once the service stops, milliseconds. */
const FINISH_MS = 10_000;
/** How long what they brought may still take when they are cut, milliseconds. */
const SETTLE_MS = 1_000;

/** `here` is the dispatcher of this process, if it has one: what it takes need not go by the stream. */
export function createApi(core: Core, endpoints: Endpoints, here: Pick<Dispatching, "take"> | null): Api {
  const { config, log, clock } = core;
  const owners = new Owners({ database: core.pipeline, control: core.control, clock, log });
  const isContended = () => core.contention.isHigh;
  const ownerOf = (partition: number) => owners.of(partition);
  const publisher = new Publisher({ connection: core.connection, ownerOf, clock, log, isContended });
  const purge = new StreamPurge(core);
  const announceErasure = ({ deliveries, shortened }: Erased) => {
    for (const queue of shortened) announceQueue(core, queue);
    purge.of(deliveries);
  };
  const slots = chooseSlots(Math.random());
  const tell = (partition: number, message: DeliveryMessage) => {
    if (!here?.take(partition, message)) publisher.publish(partition, message);
  };
  const meter = core.metrics && new ApiMeter(core.metrics, () => intake.queued + fanOuts.queued);
  const committing: Omit<IntakeOptions, "database" | "slot"> = {
    clock,
    maxQueued: config.intakeQueue,
    onAccepted: (partition, message) => {
      meter?.accepted(1);
      tell(partition, message);
    },
  };
  const intake: GroupCommit = new GroupCommit({
    ...committing,
    database: core.intake,
    patient: core.patientIntake,
    slot: slots.sends,
    isContended,
  });
  core.control.onEndpointChanged((_, id) => intake.endpointChanged(id));
  const { pipeline: database } = core;
  const fanOuts: FanOutCommit = new FanOutCommit({ ...committing, database, slot: slots.fanOuts });
  const feedIntake = new FanOutCommit({ ...committing, database, slot: slots.feeds }, "feed");
  const feeds = new Feeds({ db: core.queries, intake: feedIntake, clock, log });
  const replays = new Replays({
    ...committing,
    slot: slots.replays,
    onAccepted: tell,
    onCounted: (deliveries) => meter?.accepted(deliveries),
  });
  const runner = new JobRunner({
    database: core.queries,
    clock,
    log,
    steps: {
      replay: (sql, job) => replayStep(sql, job, replays),
      erasure: (sql, job) => erasureStep(sql, job, announceErasure),
    },
  });
  const jobs = new Jobs(core.queries, () => runner.wake());
  const parts = { ...dependencies(core, endpoints), announceErasure, intake, fanOuts, replays, jobs, meter };
  const app = createApp(parts);
  const background = [feeds, runner, sweeping(core, endpoints), resealing(core)];
  let server: HttpServer | null = null;
  const settled = async () => {
    await Promise.all([intake.drained(), fanOuts.drained(), feedIntake.drained()]);
    const lastUses = parts.authenticator.close();
    await Promise.all([publisher.drained(), purge.drained(), owners.stop(), lastUses]);
  };
  return {
    start: async () => {
      await owners.start();
      // Before the key: where the port is taken, whoever has it keeps his.
      server = serve(app, config);
      const isReplaced = await parts.apiKeys.ensureAdminKey(config.adminKey ?? "");
      if (isReplaced) log.warn("the admin key is another one now: the one before is refused");
      for (const each of background) each.start();
      return server.port;
    },
    stop: async (withinMs) => {
      const settleMs = Math.min(SETTLE_MS, withinMs);
      const finished = Promise.all([server?.stop(), ...background.map((each) => each.stop())]);
      await within(clock, Math.min(FINISH_MS, withinMs - settleMs), finished);
      await within(clock, settleMs, settled());
      await server?.close();
    },
  };
}

function dependencies(core: Core, endpoints: Endpoints) {
  const { config, log, clock, queries: db, vault } = core;
  const policy = createAddressPolicy(config);
  const schemaGate = new SchemaGate(db, clock);
  return {
    config,
    log,
    clock,
    db,
    vault,
    endpoints,
    announceQueue: (queue: Place) => announceQueue(core, queue),
    authenticator: new Authenticator({ db, clock, jwt: config.jwt }),
    rateLimiter: new RateLimiter({ windows: new SharedWindows(db), clock }),
    accounts: new Accounts(db),
    plans: new Plans(db),
    apiKeys: new ApiKeys(db),
    usage: new Usage(db),
    deliveries: new Deliveries(db),
    stats: new Stats(db),
    eventTypes: new EventTypes(db, schemaGate),
    schemaGate,
    checkUrl: (text: string) => checkTargetUrl(text, policy, config),
    readiness: () => readinessOf(core),
  };
}

function announceQueue({ control }: Core, { partition, endpointId }: Place): void {
  control.announceEndpointChange(partition, endpointId);
}

/** Removes what has expired. */
function sweeping({ queries, clock, log }: Core, endpoints: Endpoints): Loop {
  return new Loop({
    clock,
    round: async () => {
      await Promise.all([sweepIdempotencyKeys(queries), endpoints.removeExpiredSecrets()]);
      return SWEEP_EVERY_MS;
    },
    failed: (error) => {
      log.debug(describeError(error), "what has expired stays for now");
      return SWEEP_EVERY_MS;
    },
  });
}
