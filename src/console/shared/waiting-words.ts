import type { DeliveryDetail, WaitingFor } from "../../client/types";
import { rateWindowOf } from "../../domain/rate-limit";
import { count, duration, plural } from "./format";
import type { Look } from "./look";

// All that the pages say of a waiting delivery, by the reason for which it waits.

type WaitingReason = WaitingFor["reason"];

/** Writes a sentence with the reason. `delivery` is without `behind` if its order is unknown, or if it has none. */
type WriteWait = (waiting: WaitingFor, delivery: WaitPlace) => string;
export type WaitPlace = Partial<Pick<DeliveryDetail, "sequence" | "behind" | "behind_complete">>;

/** The wait for a retry may need no words: it has a time. */
type ByReason<T> = Readonly<Record<Exclude<WaitingReason, "retry">, T> & Partial<Record<"retry", T>>>;
/** The sentences in one language. */
export type WaitTexts = ByReason<WriteWait>;

export const CONSOLE_WAITS: WaitTexts = {
  turn: (waiting, { sequence = null }) =>
    `${capital(frontWords(waiting))}. #${count(waiting.in_front?.sequence ?? 0)} is first; ${numberWords(sequence)} follows once everything before it is delivered, fails or is cancelled.`,
  retry: (_waiting, { behind, behind_complete: isComplete = true }) =>
    `It waits for its next attempt.${behind === undefined ? "" : behindWords(behind, isComplete)}`,
  pause: () =>
    "The endpoint is paused. Its deliveries wait until it is resumed, and expire with the retention.",
  scheduled: () => "It is scheduled. When it is due, it follows what the endpoint was sent before.",
  rest: () =>
    "The receiver asked Hermod to wait. Until then the endpoint is sent nothing, then one delivery at a time until one succeeds.",
  rate_limit: ({ rate_limit: limit }) => `The rate limit, ${rateWords(limit)}, is used up.`,
  max_in_flight: ({ max_in_flight: most = 0 }) =>
    `The endpoint takes ${plural(most, "delivery", "deliveries")} at once, and as many are before it.`,
  receiver: ({ acknowledge_by: isRead }) =>
    isRead
      ? "Its receiver has read it, and has not acknowledged it yet."
      : "It waits until its receiver reads it.",
  attempt: (_waiting, { sequence = null }) =>
    `${numberWords(sequence)} is next: its attempt is under way or about to begin.`,
};

export const CUSTOMER_WAITS: WaitTexts = {
  turn: (waiting) =>
    `It waits its turn: ${frontNumber(waiting)} in front${firstWords(waiting, ", number", "first")}.`,
  pause: () => "It waits until the endpoint is resumed.",
  scheduled: () => "It is scheduled for later.",
  rest: () => "Your server asked to wait. Until then it is sent nothing.",
  rate_limit: ({ rate_limit: limit }) => `The limit of your endpoint, ${rateWords(limit)}, is used up.`,
  max_in_flight: ({ max_in_flight: most = 0 }) =>
    `Your endpoint takes ${count(most)} at once, and as many are before it.`,
  receiver: ({ acknowledge_by: isRead }) =>
    isRead
      ? "Your server has read it, and has not acknowledged it yet."
      : "It waits until your server reads it.",
  attempt: () => "It is next: it is being sent, or about to be.",
};

export const GERMAN_WAITS: WaitTexts = {
  turn: (waiting) =>
    `Es wartet, bis es an der Reihe ist: ${frontNumber(waiting)} davor${firstWords(waiting, ", zuerst Nummer")}.`,
  pause: () => "Es wartet, bis der Endpunkt fortgesetzt wird.",
  scheduled: () => "Es ist für später geplant.",
  rest: () => "Ihr Server bat um eine Pause. Bis dahin wird ihm nichts gesendet.",
  rate_limit: ({ rate_limit: limit }) =>
    `Die Grenze Ihres Endpunkts, ${rateWords(limit, ["Versuch", "Versuche", "in der Sekunde"])}, ist erreicht.`,
  max_in_flight: ({ max_in_flight: most = 0 }) =>
    `Ihr Endpunkt nimmt ${count(most)} zugleich, und so viele sind davor.`,
  receiver: ({ acknowledge_by: isRead }) =>
    isRead ? "Ihr Server hat es gelesen und noch nicht bestätigt." : "Es wartet, bis Ihr Server es liest.",
  attempt: () => "Es ist an der Reihe: Es wird gesendet, oder gleich.",
};

/** How the console shows the reason beside a delivery. */
type WaitLook = Look &
  Readonly<{
    /** The reason in a few words, where a list has no time to show. */
    brief?(waiting: WaitingFor): string;
    /** The reason for which a whole backlog waits, if it says more than the last answer. */
    why?(waiting: WaitingFor): string;
    /** Its words at the head of the order; by default the number of its attempt. */
    atHead?: string;
  }>;

export const WAIT_LOOKS: ByReason<WaitLook> = {
  turn: { icon: "turn", tone: "calm", word: "Waits its turn", brief: frontWords },
  pause: {
    icon: "pause",
    tone: "calm",
    word: "Paused",
    brief: () => "until resumed",
    why: () => "until it is resumed",
    atHead: "paused",
  },
  scheduled: { icon: "clock", tone: "calm", word: "Scheduled" },
  rest: { icon: "clock", tone: "warn", word: "Receiver rests", atHead: "receiver rests, attempt" },
  rate_limit: {
    icon: "turn",
    tone: "calm",
    word: "Waits for room",
    brief: () => "rate limit",
    why: ({ rate_limit: limit }) => rateWords(limit),
    atHead: "waits for the rate limit",
  },
  max_in_flight: {
    icon: "turn",
    tone: "calm",
    word: "Waits for room",
    brief: () => "room at the endpoint",
    atHead: "waits for room",
  },
  receiver: {
    icon: "turn",
    tone: "calm",
    word: "Waits for its receiver",
    brief: receiverWords,
    why: receiverWords,
    atHead: "waits for its receiver",
  },
  attempt: { icon: "send", tone: "accent", word: "Sending", atHead: "is being sent" },
};

function receiverWords({ acknowledge_by: isRead }: WaitingFor): string {
  return isRead ? "read, not acknowledged" : "until it is read";
}

/** Writes how many deliveries are in front: `3 in front`, `at least 1,000 in front`. */
function frontWords({ ahead }: WaitingFor): string {
  if (!ahead) return "others in front";
  return `${ahead.complete ? "" : "at least "}${count(Math.max(1, ahead.count))} in front`;
}

/** Writes the number of deliveries in front: `12`, `1,000+`. */
function frontNumber({ ahead }: WaitingFor): string {
  const counted = count(Math.max(1, ahead?.count ?? 1));
  return ahead?.complete === false ? `${counted}+` : counted;
}

/** Writes the number of the first delivery between words, if it is known. */
function firstWords({ in_front: first }: WaitingFor, ...[before, after]: [string, string?]): string {
  if (!first) return "";
  return `${before} ${count(first.sequence)}${after === undefined ? "" : ` ${after}`}`;
}

function behindWords(behind: number, isComplete: boolean): string {
  if (behind === 0) return isComplete ? " Nothing waits behind it." : "";
  const waiting = plural(behind, "delivery waits", "deliveries wait");
  return ` ${isComplete ? "" : "At least "}${waiting} until it is delivered, fails or is cancelled.`;
}

function numberWords(sequence: number | null): string {
  return sequence === null ? "This delivery" : `#${count(sequence)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type RateTexts = readonly [one: string, many: string, aSecond: string];

/** Returns the words for a rate limit, such as "1 attempt in 2 seconds" for 0.5. */
function rateWords(limit = 1, words: RateTexts = ["attempt", "attempts", "a second"]): string {
  const { starts, ms } = rateWindowOf(limit);
  const [one, many, aSecond] = words;
  return `${plural(starts, one, many)} ${ms === 1_000 ? aSecond : `in ${duration(ms)}`}`;
}
