import type { TransactionSql } from "../db/pool";
import type { AccountId, EndpointId } from "../domain/ids";
import type { Outcome } from "../domain/outcome";
import { recordOutcomes } from "../recorder/record";
import {
  type HandedDelivery,
  type HandedPage,
  handOut,
  makeFree,
  readPages,
  readState,
  shortenPage,
} from "./handed-page";
import { findPage } from "./next-page";
import { NOTHING, type PullAnswer, type PullRequest, type Settlement } from "./pull";
import { endSwitch, lockReader, moveBackTo, moveTo, type Reader } from "./reader";
import { expire, problemOf, type SettlingPolicy, settle } from "./settling";

/** Most pages of an endpoint with several orders that receivers have at a time. An `ordered` endpoint has one. */
export const MOST_PAGES = 100;

export type ReceivingPolicy = SettlingPolicy &
  Readonly<{
    /** See `reasonToDisable`. */
    disableAfterMs: number;
    /** See `longestWait`. */
    longestWaitMs: number;
  }>;

/** A request in its transaction. */
type Receiving = Readonly<{ sql: TransactionSql; reader: Reader; policy: ReceivingPolicy }>;

/**
 * Serves a request of a receiver: settles the page that it has read, takes back pages whose time is over, and hands out the next
 * page. An endpoint's requests follow each other, because each locks it. A delivery is handed out again only once its page
 * has ended, so no two receivers have the same order.
 */
export async function receive(
  sql: TransactionSql,
  accountId: AccountId,
  endpointId: EndpointId,
  request: PullRequest,
  policy: ReceivingPolicy,
): Promise<PullAnswer> {
  const reader = await lockReader(sql, accountId, endpointId);
  if (!reader) return { kind: "unknown" };
  const receiving = { sql, reader, policy };
  const pages = await readPages(sql, reader, request.settles?.receipt ?? null);
  const named = pages.find(({ receiptIs }) => receiptIs === "own");
  if (request.settles) {
    const refusal = await settleNamed(receiving, request.settles, named, pages);
    if (refusal) return refusal;
  } else if (reader.isPushed) return { kind: "pushed" };
  const others = pages.filter(({ isOver, receiptIs }) => isOver && receiptIs === null);
  for (const page of others) await takeBack(receiving, page);
  return handOutNext(receiving, request);
}

/** Settles the page of the receipt. Returns a refusal, before which nothing was changed; null if it is settled. */
async function settleNamed(
  receiving: Receiving,
  settlement: Settlement,
  named: HandedPage | undefined,
  pages: readonly HandedPage[],
): Promise<PullAnswer | null> {
  const { sql, reader, policy } = receiving;
  if (!named) return takeBackUnread(receiving, pages);
  const problem = problemOf(settlement, reader, named);
  if (problem !== null) return { kind: "refused", problem };
  const { outcomes, left } = settle(settlement, reader, named, policy);
  await record(receiving, outcomes);
  if (named.isOver && reader.ordering !== "ordered") await recordExpired(receiving, named, left);
  // An ordered endpoint goes on with what is left, so the page ends.
  const ends = named.isOver || reader.ordering === "ordered" || settlement.releases;
  await shortenPage(sql, reader, named, ends ? [] : left);
  const [first] = left;
  if (settlement.releases && first && reader.ordering === "unordered")
    await moveBackTo(sql, reader, first.sequence);
  return null;
}

/**
 * Takes back the page whose answer did not reach the receiver of an ordered endpoint: it asks with the former receipt again. Its
 * deliveries come again without a further attempt. Any other receipt without a page is outdated.
 */
async function takeBackUnread(
  { sql, reader }: Receiving,
  pages: readonly HandedPage[],
): Promise<PullAnswer | null> {
  const unread = pages.find(({ receiptIs }) => receiptIs === "previous");
  if (!unread || reader.ordering !== "ordered") return { kind: "outdated" };
  await shortenPage(sql, reader, unread, []);
  return null;
}

/** Takes back a page whose time is over. That is an attempt at each of its deliveries. */
async function takeBack(receiving: Receiving, page: HandedPage): Promise<void> {
  await recordExpired(receiving, page, page.pending);
  await shortenPage(receiving.sql, receiving.reader, page, []);
}

async function recordExpired(
  receiving: Receiving,
  page: HandedPage,
  left: readonly HandedDelivery[],
): Promise<void> {
  await makeFree(receiving.sql, receiving.reader, left);
  await record(receiving, expire(receiving.reader, page, left));
}

async function record({ sql, policy }: Receiving, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length > 0) await recordOutcomes(sql, outcomes, policy.disableAfterMs);
}

async function handOutNext(
  receiving: Receiving,
  { limit, leaseMs, previous }: PullRequest,
): Promise<PullAnswer> {
  const { sql, reader, policy } = receiving;
  // A recorded failure may have set the endpoint inactive.
  const { isActive, pages, position: after } = await readState(sql, reader);
  if (reader.isPushed) {
    if (pages > 0) return NOTHING;
    await endSwitch(sql, reader);
    return { kind: "handed_over" };
  }
  if (limit === 0) return NOTHING;
  const most = reader.ordering === "ordered" ? 1 : MOST_PAGES;
  if (!isActive || reader.isSwitching || pages >= most) return NOTHING;
  const { deliveries, position } = await findPage(sql, reader, {
    limit,
    after,
    longestWaitMs: policy.longestWaitMs,
  });
  if (position !== after) await moveTo(sql, reader, position);
  if (deliveries.length === 0) return NOTHING;
  const receipt = await handOut(sql, reader, deliveries, leaseMs, previous);
  return { kind: "page", deliveries, receipt };
}
