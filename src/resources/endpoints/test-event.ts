import { Type } from "@sinclair/typebox";
import type { Principal } from "../../accounts/authentication/principal";
import { acceptOne } from "../../api/accepting";
import type { Call } from "../../api/call";
import { badRequest, conflict, forbidden } from "../../api/errors";
import { idempotencyKeyOf } from "../../api/idempotency/idempotency";
import { idInPath, noSuch } from "../../api/ids";
import { knownFields } from "../../api/json/json-text";
import type { RequestBody } from "../../api/json/request-body";
import { optional, request, text } from "../../api/openapi/schema";
import type { EndpointId } from "../../domain/ids";
import type { JsonObject } from "../../domain/json-schema";
import { EVENT_MAX_LENGTH, eventProblem } from "../../domain/names";
import { FORGED_TEST_EVENT, TEST_EVENT } from "../../domain/test-event";
import type { Endpoints } from "../../endpoints/endpoint";
import type { EventTypes } from "../../event-types/event-type";
import { contentOf, type SendContent as EventBody, orderingKey, orderingKeyOf } from "../webhooks/send-body";
import { type SendingOptions, sending } from "../webhooks/send-routes";

export const TestEvent = request(
  "TestEvent",
  Type.Object({
    ordering_key: optional(orderingKey),
    event: optional(
      text({
        minLength: 1,
        maxLength: EVENT_MAX_LENGTH,
        description:
          "Sends the `example` of this event type instead of the sample. The delivery's event stays `hermod.test`.",
      }),
    ),
    data: Type.Optional(
      Type.Unknown({
        description: "The payload to send instead of the sample. Needs the permission `webhooks:write`.",
      }),
    ),
    forged: optional(
      Type.Boolean({
        description: "Signs with a wrong secret, to see that the receiver refuses it. Default: false.",
      }),
    ),
  }),
);

const SAMPLE: JsonObject = { test: true, message: "A test event, sent through Hermod on request" };

export type TestingOptions = SendingOptions & {
  eventTypes: Pick<EventTypes, "get">;
  endpoints: Pick<Endpoints, "get">;
};

/** Sends a test event to the endpoint in the path: an ordinary webhook with an event type for tests. */
export async function sendTest(
  call: Call,
  id: string,
  httpRequest: Request,
  options: TestingOptions,
): Promise<Response> {
  // Refuses a wrong key before it reads the body, like every POST.
  idempotencyKeyOf(httpRequest.headers);
  const event = exampleAskedFor(call.body);
  const example = event === null ? null : await exampleOf(options.eventTypes, call, event);
  if (asksForForgery(call.body)) await refuseIfPulled(options.endpoints, call, idInPath("ep", id));
  return acceptOne(testing(id, call.principal, options, example), call, httpRequest);
}

function asksForForgery(body: RequestBody): boolean {
  return body.length > 0 && isForged(knownFields(body, TestEvent));
}

async function refuseIfPulled(
  endpoints: TestingOptions["endpoints"],
  { principal }: Call,
  id: EndpointId,
): Promise<void> {
  const endpoint = await endpoints.get(principal.accountId, id);
  if (endpoint?.url === null)
    throw conflict(
      'forged needs an endpoint with delivery "push": a receiver that reads gets no signature to verify',
    );
}

async function exampleOf(
  eventTypes: TestingOptions["eventTypes"],
  { principal }: Call,
  event: string,
): Promise<string> {
  const type = await eventTypes.get(principal.accountId, event);
  if (type?.example) return type.example;
  throw badRequest(`event has no example; give it one by PUT /event-types/${encodeURIComponent(event)}`);
}

function testing(
  id: string,
  { permissions }: Pick<Principal, "permissions">,
  options: SendingOptions,
  example: string | null,
): ReturnType<typeof sending> {
  const sends = sending(options);
  return {
    ...sends,
    path: `/v1/endpoints/${id}/test`,
    // Reads the body first: an invalid one is a 400, even for an unknown endpoint.
    read: (body) => ({
      ...readTest(body, permissions.has("webhooks:write"), example),
      endpointId: idInPath("ep", id),
    }),
    jsonOf: (result) => {
      if (result.kind === "unknown_endpoint") throw noSuch("ep");
      return sends.jsonOf(result);
    },
  };
}

/** Returns the event type whose example a test sends; null if the body names none. */
function exampleAskedFor(body: RequestBody): string | null {
  if (body.length === 0) return null;
  const { event } = knownFields(body, TestEvent);
  if (event === undefined || event === null) return null;
  if (typeof event !== "string") throw badRequest("event must be a string");
  const problem = eventProblem(event);
  if (problem) throw badRequest(`event ${problem}`);
  return event;
}

/**
 * Reads a body, which may be empty. A payload needs the permission of a send: receivers trust every signed payload,
 * whatever its event type.
 */
function readTest(given: RequestBody, maySend: boolean, example: string | null): EventBody {
  const body = given.length === 0 ? {} : knownFields(given, TestEvent);
  if ((body.event ?? null) !== null && body.data !== undefined)
    throw badRequest("Give event or data, not both");
  if (body.data !== undefined && !maySend)
    throw forbidden("data needs the permission webhooks:write; leave it out to send the sample");
  const event = isForged(body) ? FORGED_TEST_EVENT : TEST_EVENT;
  if (body.data !== undefined) return { ...contentOf(event, body, given.text), dueAt: null };
  const data = example ?? JSON.stringify(SAMPLE);
  return { event, orderingKey: orderingKeyOf(body), data, dueAt: null };
}

function isForged({ forged }: JsonObject): boolean {
  if (forged === undefined || forged === null) return false;
  if (typeof forged !== "boolean") throw badRequest("forged must be true or false");
  return forged;
}
