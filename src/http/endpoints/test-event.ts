import { Type } from "@sinclair/typebox";
import { TEST_EVENT } from "../../endpoints/event-filter";
import type { SendResult } from "../../intake/send";
import type { Acceptable } from "../accepting";
import { type JsonObject, parseJsonObject } from "../json-text";
import { idInPath, noSuch } from "../path-id";
import { orderingKey } from "../webhooks/model";
import { contentOf, type EventBody, orderingKeyOf, type SendBody } from "../webhooks/send-body";
import { type SendingOptions, sending } from "../webhooks/sending";

export const TestEvent = Type.Object({
  ordering_key: Type.Optional(orderingKey),
  data: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "The payload, instead of the sample." }),
  ),
});

const SAMPLE: JsonObject = { test: true, message: "A test event, sent through Hermod on request" };

/** A test of the endpoint that a path names: a webhook like any other, of an event type that stands for a test. */
export function testing(id: string, options: SendingOptions): Acceptable<SendBody, SendResult> {
  const sends = sending(options);
  return {
    ...sends,
    path: `/v1/endpoints/${id}/test`,
    // The body first: what is wrong with it is a 400, whatever the path names.
    read: (json) => ({ ...readTest(json), endpointId: idInPath("ep", id) }),
    jsonOf: (result) => {
      if (result.kind === "unknown_endpoint") throw noSuch("ep");
      return sends.jsonOf(result);
    },
  };
}

/** Nothing at all is asked for in a body that is empty. */
function readTest(json: string): EventBody {
  const body = json === "" ? {} : parseJsonObject(json, TestEvent);
  if (body.data !== undefined) return contentOf(TEST_EVENT, body, json);
  const data = JSON.stringify(SAMPLE);
  return { event: TEST_EVENT, orderingKey: orderingKeyOf(body), data };
}
