import type { Delivery, DeliveryDetail, Endpoint, ListedDelivery } from "../../../src/client/types";

/** A delivery as it is stored. */
export type StoredDelivery = Readonly<{
  id: string;
  endpointId: string;
  /** Null while it is scheduled. */
  sequence: number | null;
  key: string | null;
  status: Delivery["status"];
  attempts: number;
  lastStatus: number | null;
}>;

export type StoredEndpoint = Readonly<{
  id: string;
  name: string;
  ordering: Endpoint["ordering"];
  isActive: boolean;
  /** A receiver reads its deliveries. It never rests. */
  isPulled: boolean;
  rests: boolean;
}>;

/** What is stored, and the ids of the deliveries that a filter shows. */
export type Truth = Readonly<{
  deliveries: readonly StoredDelivery[];
  endpoints: readonly StoredEndpoint[];
  shown: ReadonlySet<string>;
}>;

/** Answers of the API, and the console's sentences about them. */
export type Seen = Readonly<{
  rows: readonly ListedDelivery[];
  endpoints: readonly Endpoint[];
  details: readonly Readonly<{ delivery: DeliveryDetail; endpoint: Endpoint | null }>[];
  stuck: readonly SeenOrder[];
}>;
/** An order that a retry holds back, as the API lists it. */
export type SeenOrder = Readonly<{ head: ListedDelivery; pending: number }>;
export type Said = Readonly<{
  counted: string;
  waits: readonly string[];
  details: readonly string[];
  stuck: readonly string[];
}>;

const numberIn = (text: string | undefined) => Number(text?.replaceAll(",", ""));

/** The name of the order of a delivery: its endpoint, its key there, or itself. */
export function orderOf({ endpointId, key, id }: StoredDelivery, { ordering }: StoredEndpoint): string {
  return { ordered: endpointId, by_key: `${endpointId} ${key}`, unordered: id }[ordering];
}

/** The first pending delivery of each order that a delivery is in. */
export function headIn(truth: Truth, delivery: StoredDelivery): StoredDelivery | undefined {
  return pendingInOrder(truth, delivery)[0];
}

export function pendingInOrder({ deliveries, endpoints }: Truth, delivery: StoredDelivery) {
  const endpoint = endpoints.find(({ id }) => id === delivery.endpointId);
  if (!endpoint) throw new Error("no such endpoint");
  const order = orderOf(delivery, endpoint);
  return deliveries
    .filter((each) => each.endpointId === endpoint.id && each.status === "pending" && each.sequence !== null)
    .filter((each) => orderOf(each, endpoint) === order)
    .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
}

const OUTCOMES = {
  delivered: "delivered",
  failed: "failed",
  waiting: "pending",
  cancelled: "cancelled",
} as const;

/** Returns what is wrong with the sentence that counts the deliveries shown; null if it is true of them. */
export function falsehoodOfCount({ deliveries, shown }: Truth, sentence: string): string | null {
  const rows = deliveries.filter(({ id }) => shown.has(id));
  const total = numberIn(/[\d,]+/.exec(sentence)?.[0]);
  if (total !== rows.length) return `${rows.length} are shown`;
  for (const [word, status] of Object.entries(OUTCOMES)) {
    const number = rows.filter((row) => row.status === status).length;
    const all = new RegExp(`(all|1 delivery,) ${word}`).test(sentence);
    const named = new RegExp(`([\\d,]+) ${word}`).exec(sentence)?.[1];
    if (all ? number !== total : named ? numberIn(named) !== number : number > 0)
      return `${number} are ${word}`;
  }
  return null;
}

/** Returns what is wrong with a sentence about what the shown deliveries of an endpoint wait for; null if it is true of them. */
export function falsehoodOfWait(truth: Truth, sentence: string): string | null {
  const endpoint = truth.endpoints.find(({ name }) => sentence.startsWith(`${name}:`));
  if (!endpoint) return /^Deliveries to \d+ other/.test(sentence) ? null : "it names no endpoint";
  const waiting = truth.deliveries.filter(
    ({ id, endpointId, status }) => truth.shown.has(id) && endpointId === endpoint.id && status === "pending",
  );
  if (waiting.length === 0) return "none of its deliveries that are shown waits";
  const due = waiting.filter(({ sequence }) => sequence !== null);
  const paused = /: ([\d,]+) waits? until the endpoint is resumed\.$/.exec(sentence)?.[1];
  if (paused !== undefined) {
    if (endpoint.isActive) return "it is active";
    return numberIn(paused) === due.length ? null : `${due.length} wait`;
  }
  if (!endpoint.isActive) return "it is not active";
  const heldBy = new Map(
    due.flatMap((each) => {
      const head = headIn(truth, each);
      return head && (head.attempts > 0 || endpoint.rests) ? [[head.id, head] as const] : [];
    }),
  );
  const left = /: sending, ([\d,]+) left\.$/.exec(sentence)?.[1];
  if (left !== undefined) {
    if (endpoint.isPulled) return "it is pulled";
    if (heldBy.size > 0) return "a retry or a rest holds some back";
    return numberIn(left) === due.length ? null : `${due.length} are left`;
  }
  const unread = /: ([\d,]+) waits? for the receiver\.$/.exec(sentence)?.[1];
  if (unread !== undefined) {
    if (!endpoint.isPulled) return "it is pushed";
    if (heldBy.size > 0) return "a retry holds some back";
    return numberIn(unread) === due.length ? null : `${due.length} wait`;
  }
  const several = /: ([\d,]+) deliveries wait for another attempt\./.exec(sentence)?.[1];
  if ((several === undefined ? 1 : numberIn(several)) !== heldBy.size)
    return `${heldBy.size} orders are held back`;
  const [, number, answered] = /#(\d+(?:,\d{3})*)(?:, last answered (\d+))?/.exec(sentence) ?? [];
  const head = [...heldBy.values()].find(({ sequence }) => sequence === numberIn(number));
  if (!head) return `#${number} holds back none of them`;
  if (answered !== undefined && head.lastStatus !== Number(answered))
    return `it was answered ${head.lastStatus}`;
  if (answered === undefined && (head.lastStatus ?? 0) !== 0) return `it was answered ${head.lastStatus}`;
  if (/last attempt got no answer/.test(sentence) && head.attempts === 0) return "it had no attempt";
  const behind = /; ([\d,]+) waits? behind it\.$/.exec(sentence)?.[1] ?? "0";
  const followers = due.filter((each) => each.id !== head.id && headIn(truth, each)?.id === head.id);
  return numberIn(behind) === followers.length ? null : `${followers.length} are behind it`;
}

/** Returns what is wrong with the sentence about an order that a retry holds back; null if it is true of it. */
export function falsehoodOfStuck(truth: Truth, headId: string, sentence: string): string | null {
  const stored = truth.deliveries.find(({ id }) => id === headId);
  const endpoint = truth.endpoints.find(({ id }) => id === stored?.endpointId);
  if (!stored || !endpoint) return "there is no such delivery";
  const [first, ...behind] = pendingInOrder(truth, stored);
  if (first?.id !== headId) return "it is not the first of its order";
  const waits = /^The first waits until (the endpoint is resumed|the receiver's rest is over)/.exec(sentence);
  const expected = !endpoint.isActive
    ? "the endpoint is resumed"
    : endpoint.rests
      ? "the receiver's rest is over"
      : undefined;
  if (waits?.[1] !== expected) return `it waits for ${expected ?? "its retry"}`;
  const number = /; ([\d,]+) waits? behind it\.$/.exec(sentence)?.[1] ?? "0";
  return numberIn(number) === behind.length ? null : `${behind.length} are behind it`;
}
