import { ENCRYPTION_KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Meddler } from "../support/faults/meddler";
import { Random } from "../support/faults/random";
import type { TcpProxy } from "../support/faults/tcp-proxy";
import type { Act, PlannedFault, Round } from "./plan";
import type { Dispatcher, Stage } from "./stage";

/** The time between two rounds of terminated backends. */
const STORM_MS = 100;

/** Carries out the faults of a plan on a stage, and repairs them. */
export class Saboteur {
  constructor(private readonly stage: Stage) {}

  /** Resolves once all faults of the round are over. */
  async commit(round: Round): Promise<void> {
    await Promise.all(
      round.map(async (fault) => {
        await Bun.sleep(fault.afterMs);
        await this.harm(fault);
      }),
    );
  }

  private harm(fault: PlannedFault): Promise<void> {
    const { apis, dispatchers } = this.stage;
    const { kind, index, lastsMs } = fault;
    if (kind === "api") return this.harmProcess(at(apis, index), fault.act, lastsMs);
    if (kind === "dispatcher") return this.harmDispatcher(at(dispatchers, index), fault.act, lastsMs);
    if (kind === "postgres") return this.harmPostgres(fault.act, lastsMs);
    return kind === "nats" ? this.harmNats(fault.act, lastsMs) : this.endEverything();
  }

  private async harmProcess(process: HermodProcess, act: Act, lastsMs: number): Promise<void> {
    if (act === "stall") {
      process.stall();
      await Bun.sleep(lastsMs);
      process.proceed();
      return;
    }
    if (act === "kill") await process.kill();
    else await process.terminate();
    await Bun.sleep(lastsMs);
    await process.startPatiently();
  }

  private harmDispatcher(dispatcher: Dispatcher, act: Act, lastsMs: number): Promise<void> {
    const { process, toPostgres, toNats } = dispatcher;
    switch (act) {
      case "cut from Postgres":
        return this.harmNetwork(`${process.name} ${act}`, toPostgres, "close", lastsMs);
      case "silence from Postgres":
        return this.harmNetwork(`${process.name} ${act}`, toPostgres, "stall", lastsMs);
      case "half-open to Postgres":
        return this.harmNetwork(`${process.name} ${act}`, toPostgres, "halfOpen", lastsMs);
      case "cut from NATS":
        return this.harmNetwork(`${process.name} ${act}`, toNats, "close", lastsMs);
      case "silence from NATS":
        return this.harmNetwork(`${process.name} ${act}`, toNats, "stall", lastsMs);
      default:
        return this.harmProcess(process, act, lastsMs);
    }
  }

  // A process that can't reach Postgres for as long as a lease loses unrecorded outcomes to another process.
  private async harmNetwork(
    what: string,
    proxy: TcpProxy,
    harm: "close" | "stall" | "halfOpen",
    lastsMs: number,
  ): Promise<void> {
    const over = this.stage.cluster.journal.begin(what, what.includes("Postgres") ? "crash" : "nuisance");
    proxy[harm]();
    await Bun.sleep(lastsMs);
    proxy.open();
    over();
  }

  private async harmPostgres(act: Act, lastsMs: number): Promise<void> {
    const { postgres } = this.stage.cluster;
    if (act === "terminate backends") return postgres.storm(lastsMs / STORM_MS, STORM_MS, "crash");
    if (act === "read-only" || act === "read-only sessions") {
      const end = await postgres.makeReadOnly(act === "read-only" ? "server" : "sessions", "crash");
      await Bun.sleep(lastsMs);
      return end();
    }
    const restart = act === "kill" ? await postgres.kill("crash") : await postgres.stop("crash");
    await Bun.sleep(lastsMs);
    await restart();
  }

  private async harmNats(act: Act, lastsMs: number): Promise<void> {
    const { nats } = this.stage.cluster;
    if (act === "delete stream") return nats.deleteStream();
    if (act === "delete consumers") return nats.deleteConsumers();
    if (act === "reconfigure stream") return nats.reconfigureStream();
    if (act === "meddle with messages") return this.meddle(lastsMs);
    const restart = await this.takeNats(act);
    await Bun.sleep(lastsMs);
    await restart();
  }

  private takeNats(act: Act): Promise<() => Promise<void>> {
    const { nats } = this.stage.cluster;
    if (act === "stop") return nats.stop();
    if (act === "empty") return nats.empty();
    return act === "restore an old store" ? nats.backUp() : nats.kill();
  }

  private async meddle(lastsMs: number): Promise<void> {
    const { nats, journal } = this.stage.cluster;
    const over = journal.begin("a meddler at the stream", "nuisance");
    const client = await nats.connect();
    await new Meddler(client, new Random(lastsMs), ENCRYPTION_KEY).meddle(lastsMs);
    await client.close();
    over();
  }

  private async endEverything(): Promise<void> {
    const { cluster, apis, dispatchers } = this.stage;
    const processes = [...apis, ...dispatchers.map(({ process }) => process)];
    const [restartPostgres, restartNats] = await Promise.all([
      cluster.postgres.kill("nuisance"),
      cluster.nats.kill(),
      ...processes.map((process) => process.kill()),
    ]);
    await Promise.all([restartPostgres(), restartNats()]);
    await Promise.all(processes.map((process) => process.startPatiently()));
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`no target ${index}`);
  return item;
}
