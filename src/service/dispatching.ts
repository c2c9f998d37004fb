import { Sender } from "../attempt/send";
import { createAddressPolicy } from "../attempt/targets/address";
import { TargetResolver } from "../attempt/targets/resolver";
import { startingScheduled } from "../deliveries/schedule";
import { MAX_WEIGHT } from "../dispatch/actor";
import { AttemptLog, ShortageLog } from "../dispatch/attempt-log";
import { Attempts } from "../dispatch/attempts";
import { Backlog } from "../dispatch/backlog/backlog";
import { Payloads } from "../dispatch/backlog/payloads";
import { Dispatcher } from "../dispatch/dispatcher";
import { Registry } from "../dispatch/registry";
import { findHeads } from "../dispatch/sweeper";
import type { Outcome } from "../domain/outcome";
import { longestWait } from "../domain/retry-policy";
import type { Endpoints } from "../endpoints/endpoint";
import { messagesFor } from "../feeds/chat-message";
import { MailSender } from "../feeds/mail/mail-sender";
import { type DispatchFigures, DispatchMeter } from "../metrics/dispatch-meter";
import { Leases } from "../ownership/leases";
import { Recorder, type RecorderOptions } from "../recorder/recorder";
import { Budget } from "../runtime/budget";
import { within } from "../runtime/clock";
import { connectionsWithin, inFlightWithin, openFilesLimit } from "../runtime/open-files";
import { USER_AGENT } from "../runtime/version";
import { StreamConsumer } from "../stream/consumer";
import type { Hint } from "../stream/hint";
import { TracedAttempts } from "../tracing/traced-attempts";
import type { Core } from "./core";

/** The dispatcher role: sends deliveries from the stream to receivers, and records outcomes in Postgres. */
export type Dispatching = Readonly<{
  start(): Promise<void>;
  /** Accepts a delivery of this process directly, without the stream. Returns false if its partition is not owned here. */
  offer(hint: Hint): boolean;
  /** Calls the listener with all outcomes that this process records. */
  onRecorded(listener: (outcomes: readonly Outcome[]) => void): void;
  /** Calls the listener with the partitions that this process owns, whenever they change. */
  onOwned(listener: (partitions: readonly number[]) => void): void;
  figures(): DispatchFigures;
  owns(partition: number): boolean;
  /**
   * Finishes running attempts for at most `drainMs`, records them and releases the partitions, all within `withinMs`.
   */
  stop(drainMs: number, withinMs: number): Promise<void>;
}>;

export function createDispatching(core: Core, endpoints: Endpoints): Dispatching {
  const { clock, log, config, pipeline: db, connection, control, signer } = core;
  const id = core.processId;
  const sender = createSender(core);
  const mail = createMailSender(core);
  const meter = core.metrics && new DispatchMeter(core.metrics);
  const listeners: ((outcomes: readonly Outcome[]) => void)[] = [];
  const ownedListeners: ((partitions: readonly number[]) => void)[] = [];
  const recorder = createRecorder(core, (outcomes, answers) => {
    meter?.recorded(outcomes, answers);
    for (const notify of listeners) notify(outcomes);
  });
  const longestWaitMs = longestWait(config.retrySchedule);
  const dispatcher = new Dispatcher({
    partitions: core.topology.partitions,
    leases: new Leases(core.leases, id, config.leaseTtlMs),
    leaseTtlMs: config.leaseTtlMs,
    control,
    createConsumer: (handlers) => new StreamConsumer(id, { connection, signer, clock, log, ...handlers }),
    findHeads: (partitions, aheadMs) =>
      db.run((sql) => findHeads(sql, partitions, { aheadMs, longestWaitMs })),
    sweepIntervalMs: config.sweepIntervalMs,
    clock,
    log,
    onOwned: (partitions) => {
      for (const notify of ownedListeners) notify(partitions);
    },
    createRegistry: (mayActOn) => createRegistry(core, { sender, mail, recorder, meter }, mayActOn),
    cancelLeftovers: () => endpoints.cancelLeftovers(),
  });
  const figures = () => ({
    ...dispatcher.figures,
    attemptsUnderWay: sender.inFlight + mail.inFlight,
    attemptsWaiting: sender.queued + mail.queued,
    outcomesWaiting: recorder.queued,
  });
  meter?.show(figures);
  const notifyChange = control.notifyChange.bind(control);
  const scheduled = startingScheduled({ db: core.queries, clock, log, notifyChange });
  return {
    figures,
    owns: (partition) => dispatcher.owns(partition),
    start: async () => {
      db.onReplaced = () => dispatcher.reset();
      await dispatcher.start();
      scheduled.start();
    },
    offer: (hint) => dispatcher.offer(hint),
    onRecorded: (listener) => listeners.push(listener),
    onOwned: (listener) => ownedListeners.push(listener),
    stop: async (drainMs, withinMs) => {
      // Not awaited: its statement ends when the connections close.
      scheduled.stop();
      const stopped = dispatcher.stop(drainMs).then(() => recorder.drained());
      const isRecorded = await within(clock, withinMs, stopped);
      if (!isRecorded)
        log.warn("could not record all outcomes before the stop; these deliveries are attempted again");
      recorder.stop();
      sender.close();
    },
  };
}

function createSender({ config, clock, log }: Core): Sender {
  const { requireHttps, allowStaticRsa, egressProxy, egressResolve, attemptTimeoutMs: timeoutMs } = config;
  const { responseBodyBytes } = config;
  const openFiles = openFilesLimit();
  const connections = connectionsWithin(config.apiConnections, openFiles);
  const maxInFlight = inFlightWithin(config.maxInFlight, openFiles, connections);
  if (maxInFlight < config.maxInFlight) {
    log.warn(
      { maxInFlight, openFiles },
      "the limit on open files allows fewer attempts at a time than HERMOD_MAX_IN_FLIGHT; raise it (ulimit -n)",
    );
  }
  const policy = createAddressPolicy(config);
  const resolver = new TargetResolver({ policy, clock, requireHttps, egressResolve });
  const tls = { allowStaticRsa };
  return new Sender({
    resolver,
    timeoutMs,
    responseBodyBytes,
    userAgent: USER_AGENT,
    clock,
    maxInFlight,
    egressProxy,
    tls,
  });
}

function createMailSender({ config, clock, log }: Core): MailSender {
  const { mail: settings, attemptTimeoutMs: timeoutMs, responseBodyBytes } = config;
  return new MailSender({ settings, timeoutMs, responseBodyBytes, clock, log });
}

function createRecorder(
  { pipeline: db, clock, log, config }: Core,
  onRecorded: RecorderOptions["onRecorded"],
): Recorder {
  return new Recorder({ db, clock, log, disableAfterMs: config.disableAfterMs, onRecorded });
}

type RegistryParts = { sender: Sender; mail: MailSender; recorder: Recorder; meter: DispatchMeter | null };

function createRegistry(
  { clock, log, config, pipeline, vault, traced }: Core,
  { sender, mail, recorder, meter }: RegistryParts,
  mayActOn: (partition: number) => boolean,
): Registry {
  const memory = new Budget(MAX_WEIGHT);
  const longestWaitMs = longestWait(config.retrySchedule);
  const backlog = new Backlog({ db: pipeline, openSecret: vault.open.bind(vault), memory, longestWaitMs });
  const attempts = new Attempts({
    sender,
    mail,
    payloads: new Payloads(pipeline, clock, log),
    messages: messagesFor(config.publicUrl),
    schedule: config.retrySchedule,
    clock,
    random: Math.random,
    log:
      config.logAttempts === 0
        ? null
        : new AttemptLog({ log, share: config.logAttempts, random: Math.random }),
    shortages: new ShortageLog(log, clock),
    ...(meter && { onExchange: meter.attempted.bind(meter) }),
  });
  const traces = traced && new TracedAttempts({ ...traced, clock, attempts, recorder });
  return new Registry({
    clock,
    log,
    mayActOn,
    memory,
    backlog,
    attempts: traces ?? attempts,
    recorder: traces ?? recorder,
    dropUnwanted: () => {
      sender.dropUnwanted();
      mail.dropUnwanted();
    },
  });
}
