import { checkDefaultPlan } from "../accounts/plan";
import { type HttpServer, serve } from "../api/edge/serve";
import { deleteExpiredIdempotencyKeys } from "../api/idempotency/expiry";
import { AuditLog } from "../audit/audit-log";
import type { Erased } from "../deliveries/erasure";
import { findBlocked } from "../endpoints/blocked";
import type { Endpoints } from "../endpoints/endpoint";
import { deleteExpiredErrors } from "../event-types/filter/error-counts";
import { RulesThreads } from "../event-types/rules-threads";
import { Feeds } from "../feeds/feeds";
import { DeliveryPace, type RecordedAttempt } from "../intake/events/delivery-pace";
import { FanOutCommit } from "../intake/events/fan-out-commit";
import { Replays } from "../intake/replays/replays";
import { GroupCommit, type GroupCommitOptions, type IntakeOptions } from "../intake/sends/group-commit";
import { chooseShards } from "../intake/usage";
import { erasureStep } from "../jobs/erasure-step";
import { Jobs } from "../jobs/jobs";
import { overFiles, resendOverFiles } from "../jobs/over-files";
import { missingReplayStep, replayStep } from "../jobs/replay-step";
import { resendStep } from "../jobs/resend-step";
import { JobRunner, type JobSteps } from "../jobs/runner";
import { ApiMeter } from "../metrics/api-meter";
import { createApp } from "../resources/app";
import { within } from "../runtime/clock";
import { describeError } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { connectionsWithin, openFilesLimit } from "../runtime/open-files";
import { Sessions } from "../sessions/sessions";
import { Publisher } from "../stream/publisher";
import { StreamPurge } from "../stream/purge";
import { tracedFanOuts, tracedSends } from "../tracing/traced-intake";
import { openCell } from "./cells";
import type { Core } from "./core";
import { dependencies } from "./dependencies";
import type { Dispatching } from "./dispatching";
import { readinessOf } from "./readiness";
import { resealing } from "./resealing";

/** The API role: accepts requests up to their commit, and answers reads. */
export type Api = Readonly<{
  /** Returns the number of sends and events that wait for a commit. */
  queued(): number;
  /** Listens, and resolves with the address. */
  start(): Promise<Pick<HttpServer, "host" | "port">>;
  /** Stops accepting requests, answers the running ones and publishes their deliveries, within the time. */
  stop(withinMs: number): Promise<void>;
}>;

const UPKEEP_EVERY_MS = 60_000;
/** Running requests may take this long when the service stops. */
const FINISH_MS = 10_000;
/** Their remaining work may take this long after that. */
const SETTLE_MS = 1_000;

/** The dispatcher of this process, or of its children. */
export type Here = Pick<Dispatching, "offer"> & {
  onRecorded(listener: (outcomes: readonly RecordedAttempt[]) => void): void;
};

/** Creates the API. `here`, if any, gets accepted deliveries directly. */
export function createApi(core: Core, endpoints: Endpoints, here: Here | null): Api {
  const { config, log, clock, queries: db } = core;
  const pace = here && new DeliveryPace(clock);
  here?.onRecorded((outcomes) => pace?.recorded(outcomes));
  const announcer = createAnnouncer(core, { here, pace });
  const meter = core.metrics && new ApiMeter(core.metrics);
  const rules = new RulesThreads(log, clock);
  const keys = Promise.withResolvers<void>();
  const cell = openCell(core);
  const reading = dependencies({
    ...core,
    db,
    endpoints,
    rules,
    keysAreThere: keys.promise,
    cell: cell?.own ?? null,
    vouching: cell?.vouching ?? null,
  });
  const { pulls } = reading;
  const { wakers } = pulls;
  core.control.onEndpointChanged(({ endpointId }) => pulls.arrived(endpointId));
  const announce: OnAccepted = (hint) => {
    announcer.announce(hint);
    const [wakeFirst] = wakers.get(hint.endpointId) ?? [];
    wakeFirst?.();
  };
  const intakes = createIntakes(core, announce, {
    commitsAtOnce: here === null ? 2 : 1,
    pace,
    meter,
  });
  meter?.show(() => intakes.queued());
  const purge = new StreamPurge(core);
  const afterErasure = ({ deliveries, shortened }: Erased) => {
    for (const queue of shortened) core.control.notifyChange(queue);
    purge.schedule(deliveries);
  };
  const { jobs, runner } = createJobs(core, intakes.replays, rules, afterErasure);
  const feeds = new Feeds({ db, intake: intakes.feeds, publicUrl: core.config.publicUrl, clock, log });
  const { replays } = intakes;
  const { traced } = core;
  const intake = traced ? tracedSends(intakes.intake, traced) : intakes.intake;
  const fanOuts = traced ? tracedFanOuts(intakes.fanOuts, traced) : intakes.fanOuts;
  const parts = {
    ...reading,
    notifyChange: core.control.notifyChange.bind(core.control),
    tracing: core.traced?.tracing ?? null,
    readiness: () => readinessOf(core),
    afterErasure,
    intake,
    fanOuts,
    replays,
    jobs,
    meter,
  };
  const app = createApp(parts);
  const background = [feeds, runner, upkeep(core, endpoints), resealing(core)];
  let server: HttpServer | null = null;
  const settled = async () => {
    await intakes.drained();
    await Promise.all([
      announcer.drained(),
      purge.drained(),
      parts.authenticator.close(),
      parts.filterErrors.close(),
    ]);
  };
  return {
    queued: intakes.queued,
    start: async () => {
      await checkDefaultPlan(parts.plans, config.defaultPlan);
      // Listens before it sets the admin key: if the port is taken, the key of the running service stays valid. Requests wait
      // until the key is set.
      const connections = connectionsWithin(config.apiConnections, openFilesLimit());
      server = serve(app, { ...config, limit: { connections, log } });
      const isReplaced = config.adminKey !== null && (await parts.apiKeys.ensureAdminKey(config.adminKey));
      keys.resolve();
      if (isReplaced) log.warn("replaced the admin key with HERMOD_ADMIN_KEY; the old key is refused");
      for (const each of [...background, parts.filterErrors]) each.start();
      return server;
    },
    stop: async (withinMs) => {
      const settleMs = Math.min(SETTLE_MS, withinMs);
      parts.liveStreams.close();
      parts.pulls.close();
      const finished = Promise.all([server?.stop(), ...background.map((each) => each.stop())]);
      await within(clock, Math.min(FINISH_MS, withinMs - settleMs), finished);
      await within(clock, settleMs, Promise.all([settled(), cell?.close()]));
      await server?.close();
      parts.certifier.close();
    },
  };
}

type OnAccepted = IntakeOptions["onAccepted"];

/**
 * Publishes accepted deliveries, and passes them to the dispatcher of this process, if there is one.
 */
function createAnnouncer(core: Core, { here, pace }: { here: Here | null; pace: DeliveryPace | null }) {
  const { clock, log, connection, signer } = core;
  const publisher = new Publisher({ connection, signer, clock, log });
  core.metrics?.total(
    { name: "hermod_stream_refusals_total", help: "Messages that the stream refused or did not answer." },
    () => publisher.refusals,
  );
  const announce: OnAccepted = (hint) => {
    const isHandedOver = here?.offer(hint) ?? false;
    if (isHandedOver) pace?.accepted(hint.accountId);
    publisher.publish(hint, isHandedOver);
  };
  return { announce, drained: () => publisher.drained() };
}

type IntakesOptions = Pick<GroupCommitOptions, "commitsAtOnce"> & {
  pace: DeliveryPace | null;
  meter: ApiMeter | null;
};

/** Creates the intakes. Each counts usage in a shard of its own. */
function createIntakes(core: Core, announce: OnAccepted, { commitsAtOnce, pace, meter }: IntakesOptions) {
  const { config, clock, pipeline: db } = core;
  const shards = chooseShards(Math.random());
  const onAccepted: OnAccepted = (hint) => {
    meter?.accepted(1);
    announce(hint);
  };
  const committing = { clock, maxQueued: config.intakeQueue, onAccepted };
  const intake = new GroupCommit({
    ...committing,
    db: core.intake,
    patient: core.patientIntake,
    commitsAtOnce,
    shard: shards.sends,
  });
  core.control.onEndpointChanged(({ endpointId }) => intake.endpointChanged(endpointId));
  const fanOuts = new FanOutCommit({ ...committing, db, shard: shards.fanOuts, pace });
  const feeds = new FanOutCommit({ ...committing, db, shard: shards.feeds }, "feed");
  const onCounted = (deliveries: number) => meter?.accepted(deliveries);
  const replays = new Replays({ clock, shard: shards.replays, onAccepted: announce, onCounted });
  const queued = () => intake.queued + fanOuts.queued;
  const drained = () => Promise.all([intake.drained(), fanOuts.drained(), feeds.drained()]);
  return { intake, fanOuts, feeds, replays, queued, drained };
}

/** Creates the job store and the runner. */
function createJobs(
  core: Core,
  replays: Replays,
  rules: RulesThreads,
  afterErasure: (erased: Erased) => void,
) {
  const { queries: db, clock, log } = core;
  const thawing = core.cold?.thawing ?? null;
  const steps: JobSteps = {
    replay: overFiles(thawing, (sql, job) => replayStep(sql, job, replays)),
    missing_replay: overFiles(thawing, (sql, job) => missingReplayStep(sql, job, replays, rules)),
    resend: resendOverFiles(thawing, (sql, job) => resendStep(sql, job, replays)),
    erasure: overFiles(thawing, (sql, job) => erasureStep(sql, job, afterErasure, { thawing })),
  };
  const runner = new JobRunner({ db, clock, log, steps });
  return { jobs: new Jobs(db, () => runner.wake(), thawing !== null), runner };
}

/** Deletes expired idempotency keys, secrets, sessions and entries of the audit log, and finds blocked endpoints. */
function upkeep({ config, queries, clock, log, traced }: Core, endpoints: Endpoints): Loop {
  return new Loop({
    clock,
    round: async () => {
      await Promise.all([
        deleteExpiredIdempotencyKeys(queries),
        endpoints.removeExpiredSecrets(),
        findBlocked(queries, config.blockedAfterMs),
        new Sessions(queries).deleteExpired(),
        deleteExpiredErrors(queries, clock.now() - config.retentionMs),
        traced?.store.forget(),
        new AuditLog(queries).deleteExpired(clock.now(), config.auditRetentionMs),
      ]);
      return UPKEEP_EVERY_MS;
    },
    failed: (error) => {
      log.debug(
        describeError(error),
        "could not delete expired idempotency keys, secrets and sessions, or find blocked endpoints; trying again in a minute",
      );
      return UPKEEP_EVERY_MS;
    },
  });
}
