import { type Static, Type } from "@sinclair/typebox";
import { answerText } from "../../api/answer";
import type { Call } from "../../api/call";
import { badRequest, conflict, unauthorized } from "../../api/errors";
import { idInPath, noSuch } from "../../api/ids";
import { formatInstant } from "../../api/lists/instant";
import { lines, named, nullable, optional, request, text, timestamp } from "../../api/openapi/schema";
import { webhookIdOf } from "../../attempt/webhook-request";
import type { DeliveryId, EndpointId } from "../../domain/ids";
import { fromText, timeOf, toText } from "../../domain/ids";
import { MAX_RETRY_AFTER_MS } from "../../domain/retry-policy";
import { PAGE_BYTES } from "../../pulling/next-page";
import type { PulledDelivery, PullRequest, Settlement } from "../../pulling/pull";
import type { Pulls } from "../../pulling/pulls";
import { MOST_PAGES } from "../../pulling/receive";
import { MOST_WAITING } from "../../pulling/waiting-room";

/** The limits of a receiver's request. Times are in seconds. */
export const RECEIVE = {
  deliveries: { usual: 100, most: 500 },
  wait: { most: 30 },
  lease: { usual: 30, most: 600 },
  errorCharacters: 1_024,
} as const;

const ID_LENGTH = 64;
const id = text({ minLength: 1, maxLength: ID_LENGTH });

const FailedReceive = request(
  "ReceiveFailure",
  Type.Object({
    id,
    error: lines({ maxLength: RECEIVE.errorCharacters, description: "Why; the attempt shows it." }),
    retry_after: optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_RETRY_AFTER_MS / 1_000,
        description: "The least wait before the next attempt, in seconds.",
      }),
    ),
  }),
);

export const Receive = request(
  "Receive",
  Type.Object({
    limit: optional(
      Type.Integer({
        minimum: 0,
        maximum: RECEIVE.deliveries.most,
        default: RECEIVE.deliveries.usual,
        description: "Most deliveries of the page. 0: the request only acknowledges.",
      }),
    ),
    wait: optional(
      Type.Number({
        minimum: 0,
        maximum: RECEIVE.wait.most,
        default: 0,
        description:
          "How long to wait for a delivery if there is none, in seconds. " +
          `At most ${MOST_WAITING.account} requests of an account wait at a time; one more is answered at once.`,
      }),
    ),
    lease: optional(
      Type.Integer({
        minimum: 1,
        maximum: RECEIVE.lease.most,
        default: RECEIVE.lease.usual,
        description:
          "The receiver's time for the page, in seconds. What is not acknowledged by then comes again, with the next `attempt`.",
      }),
    ),
    receipt: optional(
      text({
        minLength: 1,
        maxLength: ID_LENGTH,
        description: "The `receipt` of the page to which `ack_through`, `ack` and `fail` refer.",
      }),
    ),
    ack_through: optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "Acknowledges the page's deliveries up to this `sequence`.",
      }),
    ),
    ack: optional(
      Type.Array(id, {
        maxItems: RECEIVE.deliveries.most,
        description: "Acknowledges these deliveries of the page. Not for an `ordered` endpoint.",
      }),
    ),
    fail: optional(
      Type.Array(FailedReceive, {
        maxItems: RECEIVE.deliveries.most,
        description:
          "Reports failed attempts at deliveries of the page. Each is repeated by the endpoint's schedule. An `ordered` endpoint takes " +
          "one, the first behind `ack_through`.",
      }),
    ),
    release: optional(
      Type.Boolean({
        default: false,
        description:
          "Hands back what the page has left: it may be read again at once, without another `attempt`. An `ordered` endpoint always does so.",
      }),
    ),
  }),
);

const PulledModel = named(
  "ReceivedWebhook",
  Type.Object({
    id: Type.String({ description: "Begins with `wh_`." }),
    webhook_id: Type.String({
      description: "As the header `webhook-id` of a pushed delivery. Equal for a delivery and its resends.",
    }),
    event: nullable(Type.String()),
    sequence: Type.Integer(),
    ordering_key: nullable(Type.String()),
    attempt: Type.Integer({ description: "Counts from 1." }),
    created_at: timestamp(),
    data: Type.Unknown({ description: "The payload, byte for byte as it was sent; null if it was erased." }),
  }),
);

export const ReceivedPage = named(
  "ReceivedPage",
  Type.Object({
    data: Type.Array(PulledModel),
    receipt: nullable(Type.String({ description: "Acknowledges the page; null if it is empty." })),
  }),
);

export const RECEIVED_EXAMPLE = {
  data: [
    {
      id: "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
      webhook_id: "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
      event: "order.created",
      sequence: 42,
      ordering_key: null,
      attempt: 1,
      created_at: "2026-01-31T12:00:00.000Z",
      data: { order_id: 4711, total: "99.90" },
    },
  ],
  receipt: "6f1d2c1e-8a53-4c44-9c0f-2f3b8f6f7a10",
} satisfies Static<typeof ReceivedPage>;

export const RECEIVE_DESCRIPTION = `
For endpoints with \`delivery: pull\`. Answers with the next deliveries, and acknowledges those of the page before, in one request.

An \`ordered\` endpoint hands out one page at a time, in sequence: acknowledge it by \`ack_through\`. What you leave out comes again
first. With other orderings there may be ${MOST_PAGES} pages at a time, for as many receivers, and each order has one delivery in them:
the next one follows once it is acknowledged.

A page that is not acknowledged within its \`lease\` is handed out again. Its former receipt then acknowledges nothing: the answer
is a 409, and you go on without a receipt. If an answer is lost, repeat the request: an \`ordered\` endpoint hands the page out again.

A page has at most ${PAGE_BYTES / 1_048_576} MiB of payloads, and always one delivery.`.trim();

/** Answers POST /endpoints/:id/receive. */
export async function receiveDeliveries(
  pulls: Pulls,
  call: Call,
  pathId: string,
  { signal }: Request,
  body: Static<typeof Receive>,
): Promise<Response> {
  const endpointId = idInPath("ep", pathId);
  const request = requestIn(body);
  const wait = { ms: (body.wait ?? 0) * 1_000, ended: signal, check: () => refuseRevoked(call) };
  const answer = await pulls.receive(call.principal.accountId, endpointId, request, wait);
  switch (answer.kind) {
    case "page":
      return answerText(call.allowance, 200, pageText(endpointId, answer.deliveries, answer.receipt));
    case "handed_over":
      return answerText(call.allowance, 200, pageText(endpointId, [], null));
    case "unknown":
      throw noSuch("ep");
    case "pushed":
      throw conflict('The endpoint is pushed: only one with delivery "pull" hands its deliveries out');
    case "outdated":
      throw conflict(
        "receipt is outdated: its page was acknowledged or handed out again; send the request without receipt, ack_through, ack, fail and release",
      );
    case "refused":
      throw badRequest(answer.problem);
  }
}

async function refuseRevoked({ isStillAllowed }: Call): Promise<void> {
  if (!(await isStillAllowed()))
    throw unauthorized("The key was revoked, or has expired, while the request waited");
}

function requestIn(body: Static<typeof Receive>): PullRequest {
  const { limit, lease } = body;
  return {
    limit: limit ?? RECEIVE.deliveries.usual,
    leaseMs: (lease ?? RECEIVE.lease.usual) * 1_000,
    previous: body.receipt ?? null,
    settles: settlementIn(body),
  };
}

function settlementIn({
  receipt,
  ack_through,
  ack,
  fail,
  release,
}: Static<typeof Receive>): Settlement | null {
  const acknowledged = (ack ?? []).map((text) => idOf("ack", text));
  const failed = (fail ?? []).map(({ id, error, retry_after }) => ({
    id: idOf("fail", id),
    error,
    retryAfterMs: (retry_after ?? 0) * 1_000,
  }));
  const releases = release ?? false;
  if (receipt) return { receipt, through: ack_through ?? null, acknowledged, failed, releases };
  if ((ack_through ?? null) !== null || releases || acknowledged.length + failed.length > 0)
    throw badRequest("ack_through, ack, fail and release need the receipt of their page");
  return null;
}

function idOf(name: string, text: string): DeliveryId {
  const id = fromText("wh", text);
  if (id === null) throw badRequest(`${name} must name deliveries by their ids, wh_…`);
  return id;
}

function pageText(
  endpointId: EndpointId,
  deliveries: readonly PulledDelivery[],
  receipt: string | null,
): string {
  const texts = deliveries.map((delivery) => textOf(delivery, webhookIdOf(delivery, endpointId)));
  return `{"data":[${texts.join(",")}],"receipt":${JSON.stringify(receipt)}}`;
}

/** Writes a delivery. Its payload keeps its text. */
function textOf(
  { id, event, sequence, orderingKey, attempt, data }: PulledDelivery,
  webhookId: string,
): string {
  const head = JSON.stringify({
    id: toText("wh", id),
    webhook_id: webhookId,
    event,
    sequence,
    ordering_key: orderingKey,
    attempt,
    created_at: formatInstant(timeOf(id)),
  });
  return `${head.slice(0, -1)},"data":${data ?? "null"}}`;
}
