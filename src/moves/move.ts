import type { Thawing } from "../cold/thawing";
import { isLockTimeout } from "../db/postgres-failure";
import { type Clock, sleep } from "../runtime/clock";
import type { MoveDestination } from "./destination";
import type { MoveSource } from "./source";

/** The move can't begin, or can't go on. The message is for the operator. */
export class MoveRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MoveRefused";
  }
}

export type MoveOptions = Readonly<{
  source: MoveSource;
  destination: MoveDestination;
  /** The source's database as the destination's Postgres reaches it. */
  sourceUrl: string;
  /** Brings old deliveries back from files; null if the source has no files. */
  thawing: Thawing | null;
  /** Throws `MoveRefused` if the destination can't take the account. */
  check(): Promise<void>;
  /** The time limit of an attempt at an endpoint that has none of its own. */
  attemptTimeoutMs: number;
  /** A move that takes longer is given up, since the source keeps its WAL meanwhile. */
  deadlineMs: number;
  clock: Clock;
  /** Called with a line for people at each step. */
  report(line: string): void;
  /** Called before each step. For tests, which end the mover there. */
  onStep?(step: string): void;
}>;

/** No process admits a request of a closing account after this time: none trusts a credential for longer. */
export const CLOSING_MS = 5_000;
/** Attempts and clocks may be late by this much. */
const MARGIN_MS = 1_000;
/** The departure takes at most this long. A larger account is held back again, and tried again by the operator. */
export const LEAVE_MS = 300_000;
const POLL_MS = 50;
const TRY_AGAIN_MS = 1_000;

/**
 * Moves an account to another cell. Each step leaves what it did in the two databases, so a mover that dies at any moment is started
 * again, and goes on: before the departure the account is whole in its source, after the arrival in its destination, and between them
 * its rows are on their way, and its requests get 503.
 */
export async function moveAccount(options: MoveOptions): Promise<void> {
  const { source, destination, report } = options;
  // This move would delete from its source what the other one has copied there.
  if (await destination.isLeft())
    throw new MoveRefused(
      "the account moves from the database of HERMOD_MOVE_TO: exchange HERMOD_MOVE_TO and DATABASE_URL, and end that move first",
    );
  if (!(await destination.hasAccount())) {
    const account = await source.find();
    if (account === null)
      throw new MoveRefused(
        "neither database has the account: check its id, DATABASE_URL and HERMOD_MOVE_TO",
      );
    if (account.departure === "left") await connect(options);
    else await depart(options);
    await arrive(options);
  }
  await finish(options);
  report("moved");
}

/** Ends a move before the account has left: it stays in its source, and the destination keeps nothing of it. */
export async function giveUp(options: MoveOptions): Promise<void> {
  const { source, destination, report } = options;
  const account = await source.find();
  if (account === null || account.departure === "left")
    throw new MoveRefused("the account has left its source: start the move again to end it");
  // What a move copied is deleted there, and looks like what the account has.
  if (await destination.hasAccount())
    throw new MoveRefused(
      "the account lives in the database of HERMOD_MOVE_TO as well, so nothing was deleted there: check DATABASE_URL and HERMOD_MOVE_TO",
    );
  await reopen(source);
  await disconnect(options);
  await destination.purge(await source.subjects());
  await destination.end();
  await source.end();
  report("given up: the account stays where it was");
}

async function depart(options: MoveOptions): Promise<void> {
  const { source, attemptTimeoutMs, clock, report, onStep = () => {} } = options;
  await options.check();
  // A mover may have died while the account was closing.
  await source.close(false);
  const leftMs = await connect(options);
  await untilCopied(options, clock.monotonic() + leftMs);
  onStep("hold");
  const idleInMs = (await source.hold(attemptTimeoutMs, CLOSING_MS + 2 * LEAVE_MS)) + MARGIN_MS;
  report(`its deliveries wait; the last attempts end within ${Math.ceil(idleInMs / 1_000)} s`);
  await sleep(clock, Math.max(0, idleInMs - CLOSING_MS));
  onStep("close");
  await source.close(true);
  report("its requests get 503 until it has arrived");
  try {
    // What the destination must have may have changed during the copy.
    await Promise.all([options.check(), sleep(clock, CLOSING_MS)]);
    onStep("leave");
    await source.leave(LEAVE_MS);
  } catch (error) {
    await reopen(source).catch(() => {});
    throw error;
  }
}

/** Lets the requests and deliveries of an account go on that has not left. Does nothing for one that has. */
async function reopen(source: MoveSource): Promise<void> {
  await source.release();
  await source.close(false);
}

/**
 * Lets the rows flow, and begins again where Postgres has dropped some of them. Nothing is lost by that, not even after the departure: all
 * rows are in the source until the account has arrived. Returns how many milliseconds are left for the departure.
 */
async function connect(options: MoveOptions): Promise<number> {
  const { source, destination, sourceUrl, deadlineMs, onStep = () => {} } = options;
  onStep("begin");
  const leftMs = await source.begin(deadlineMs);
  if ((await source.slot()) !== "there") await disconnect(options);
  await beginThere(options);
  onStep("restore");
  await restoreFiles(options);
  onStep("publish");
  await source.publish();
  onStep("subscribe");
  await destination.subscribe(sourceUrl);
  return leftMs;
}

/** Tries again while others use the tables that get time ranges: each of them waits behind a try. */
async function beginThere({ source, destination, deadlineMs, clock }: MoveOptions): Promise<void> {
  const [subjects, ranges] = [await source.subjects(), await source.timeRanges()];
  for (;;) {
    try {
      return await destination.begin(deadlineMs, subjects, ranges);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await sleep(clock, TRY_AGAIN_MS);
    }
  }
}

async function restoreFiles({ source, thawing, report }: MoveOptions): Promise<void> {
  let files = 0;
  while (thawing !== null && (await source.restoreFile(thawing))) files++;
  if (files > 0) report(`the deliveries of ${files} files are back in Postgres`);
}

async function disconnect({ source, destination }: MoveOptions): Promise<void> {
  await destination.unsubscribe(await source.slot());
  await source.unpublish();
}

async function arrive(options: MoveOptions): Promise<void> {
  const { source, destination, clock, report, onStep = () => {} } = options;
  onStep("wait");
  report("it has left its source");
  while (!(await destination.hasAll())) {
    if ((await source.slot()) !== "there") await connect(options);
    await sleep(clock, POLL_MS);
  }
  onStep("arrive");
  await destination.arrive();
  report("it has arrived");
}

async function finish(options: MoveOptions): Promise<void> {
  const { source, report, onStep = () => {} } = options;
  onStep("forget");
  const account = await source.find();
  if (account !== null && account.departure !== "left")
    throw new MoveRefused(
      "both databases have the account, and it is not under way between them: check DATABASE_URL and HERMOD_MOVE_TO",
    );
  await source.forget();
  onStep("unsubscribe");
  await disconnect(options);
  onStep("purge");
  report("deleting its rows from the source");
  await source.purge();
  await source.end();
}

/** Waits until the copy is whole, and follows. Gives the move up at its deadline. */
async function untilCopied(options: MoveOptions, until: number): Promise<void> {
  const { destination, clock, report, onStep = () => {} } = options;
  onStep("copy");
  let reported = -1;
  for (;;) {
    const { ready, all } = await destination.progress();
    if (ready !== reported) report(`${ready} of ${all} tables are copied`);
    reported = ready;
    if (all > 0 && ready === all) return;
    if (clock.monotonic() >= until) {
      await giveUp(options);
      throw new MoveRefused(
        "the copy was not whole at the deadline of the move, which was given up: see the log of the destination's Postgres",
      );
    }
    await sleep(clock, POLL_MS);
  }
}
