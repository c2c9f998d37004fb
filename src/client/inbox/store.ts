import type { InboxQuery, InboxRow } from "./database.ts";
import { MOST_LOOKED_AT, INBOX_STATEMENTS as STATEMENTS } from "./statements.ts";

/** A number as it arrived. `body` is '' if it needs no work. `isDone` is true if its work is done in the same transaction. */
export type ArrivedNumber = Readonly<{
  sequence: number;
  id: string;
  orderingKey: string | null;
  event: string | null;
  body: string;
  isDone: boolean;
}>;

/** The next number to do the work of; none if its `body` is ''. */
export type TakenNumber = Omit<ArrivedNumber, "isDone"> & { tries: number };

/** A number came again with another id: Hermod's Postgres was restored, and gives numbers anew. */
export class NumberCameAgain extends Error {
  constructor(sequence: number, known: string, id: string) {
    super(
      `number ${sequence} was ${known} and came again as ${id}: Hermod was restored from a backup; give the inbox another \`name\``,
    );
    this.name = "NumberCameAgain";
  }
}

/** Failed work is tried again after a second, then after twice as long each time, up to this. */
const LONGEST_WAIT_MS = 300_000;

/** Writes an arrived number. Resolves to false if it, or its id with another number, arrived before. */
export async function arrive(query: InboxQuery, inbox: string, number: ArrivedNumber): Promise<boolean> {
  const { sequence, id, orderingKey, event, body, isDone } = number;
  const now = Date.now();
  const first = await query(STATEMENTS.arrive, [
    inbox,
    sequence,
    id,
    orderingKey,
    event,
    body,
    isDone ? 1 : 0,
    now,
  ]);
  if (first.length > 0) return true;
  // A resend has the id of its original. Its number has arrived, and its work is the original's.
  const resent = await query(STATEMENTS.arrive, [inbox, sequence, null, orderingKey, event, "", 1, now]);
  if (resent.length > 0) return false;
  const [known] = await query(STATEMENTS.readArrived, [inbox, sequence]);
  if (typeof known?.id === "string" && known.id !== id) throw new NumberCameAgain(sequence, known.id, id);
  return false;
}

/** Begins an order in front of its first number, unless it has begun. */
export async function beginOrder(query: InboxQuery, inbox: string, from: number): Promise<void> {
  await query(STATEMENTS.beginOrder, [inbox, from - 1, Date.now()]);
}

/** Moves the frontier over the numbers that have arrived behind it without a gap. */
export async function moveFrontier(query: InboxQuery, inbox: string): Promise<void> {
  for (let isMoved = true; isMoved; ) {
    const rows = await query(STATEMENTS.readBehindFrontier, [inbox]);
    const gap = rows.findIndex(({ sequence, frontier }, i) => Number(sequence) !== Number(frontier) + i + 1);
    const last = rows.at(gap === -1 ? -1 : gap - 1);
    if (gap !== 0 && last) await moveFrontierTo(query, inbox, Number(last.sequence));
    isMoved = gap === -1 && rows.length === MOST_LOOKED_AT;
  }
}

/** Moves the frontier over numbers that never arrive, such as those that the retention has removed. */
export async function moveFrontierTo(query: InboxQuery, inbox: string, frontier: number): Promise<void> {
  await query(STATEMENTS.moveFrontier, [inbox, frontier]);
}

/** Returns the number up to which all have arrived. */
export async function readFrontier(query: InboxQuery, inbox: string): Promise<number> {
  const [row] = await query(STATEMENTS.readFrontier, [inbox]);
  return Number(row?.frontier ?? 0);
}

/**
 * Takes the next numbers of one ordering key whose work may be done: all earlier numbers have arrived, and those with the key are
 * done. Other transactions take other keys until this one ends. `taking`: see `InboxDatabase`.
 */
export async function takeNext(
  query: InboxQuery,
  inbox: string,
  { taking, most }: { taking: string; most: number },
): Promise<TakenNumber[]> {
  const [row] = await query(STATEMENTS.takeFirst + taking, [inbox, Date.now()]);
  if (!row) return [];
  const first = takenOf(row);
  const rows = await query(STATEMENTS.takeOthers, [inbox, first.sequence, first.orderingKey ?? "", most - 1]);
  return [first, ...rows.map(takenOf)];
}

function takenOf(row: InboxRow): TakenNumber {
  return {
    sequence: Number(row.sequence),
    id: String(row.id),
    orderingKey: textOrNull(row.ordering_key),
    event: textOrNull(row.event),
    body: String(row.body),
    tries: Number(row.tries),
  };
}

/** Notes that the work of taken numbers is done. Their payloads are no longer needed. */
export async function finish(query: InboxQuery, inbox: string, taken: readonly TakenNumber[]): Promise<void> {
  const [first, last] = [taken[0], taken.at(-1)];
  if (!first || !last) return;
  await query(STATEMENTS.finish, [inbox, first.sequence, last.sequence, first.orderingKey ?? ""]);
}

/** Postpones work that failed. */
export async function postpone(query: InboxQuery, inbox: string, failed: TakenNumber): Promise<void> {
  const wait = Math.min(1_000 * 2 ** Math.min(failed.tries, 20), LONGEST_WAIT_MS);
  await query(STATEMENTS.postpone, [inbox, failed.sequence, Date.now() + wait]);
}

/** What an order waits for. `gapSince`: when the first number behind a gap arrived, Unix milliseconds; null without a gap. */
export type InboxBacklog = { isEmpty: boolean; gapSince: number | null };

export async function readBacklog(query: InboxQuery, inbox: string): Promise<InboxBacklog> {
  const [row] = await query(STATEMENTS.readBacklog, [inbox, await readFrontier(query, inbox)]);
  const since = row?.gap_since ?? null;
  return { isEmpty: Number(row?.waiting) === 0, gapSince: since === null ? null : Number(since) };
}

/** Deletes done numbers that arrived before a time. Keeps those behind a gap. */
export async function prune(query: InboxQuery, inbox: string, before: number): Promise<void> {
  await query(STATEMENTS.prune, [inbox, before]);
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
