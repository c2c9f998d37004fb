import { expect, test } from "bun:test";
import { type Answer, expectError } from "./client";
import { useService } from "./service";

const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;

type Ask = (text: string) => Promise<Answer>;
const TAKEN: [what: string, most: number, ask: Ask][] = [
  [
    "a webhook's event",
    256,
    (event) => client.post("/webhooks", { endpoint_id: endpointId, event, data: {} }),
  ],
  [
    "a webhook's ordering key",
    256,
    (ordering_key) => client.post("/webhooks", { endpoint_id: endpointId, ordering_key, data: {} }),
  ],
  ["the event of a replay", 256, (event) => client.post(`/endpoints/${endpointId}/replay`, { event })],
  ["the event of an erasure", 256, (event) => client.post("/erasures", { event })],
  ["an event filter", 256, (event_filter) => client.patch(`/endpoints/${endpointId}`, { event_filter })],
  [
    "an event type of a list",
    256,
    (type) => client.patch(`/endpoints/${endpointId}`, { event_types: [type] }),
  ],
  ["an event to list", 256, (event) => client.get(`/webhooks?event=${encodeURIComponent(event)}`)],
  ["a description", 1_024, (description) => client.patch(`/endpoints/${endpointId}`, { description })],
  ["metadata", 512, (a) => client.patch(`/endpoints/${endpointId}`, { metadata: { a } })],
  [
    "a name in metadata",
    64,
    (name) => client.patch(`/endpoints/${endpointId}`, { metadata: { [name]: "" } }),
  ],
  ["a key's name", 256, (name) => client.post("/keys", { name })],
  ["an account's name", 256, (name) => client.post("/admin/accounts", { name })],
];

test.each(TAKEN)("%s has up to %d characters, whatever they are", async (_, most, ask) => {
  for (const character of ["x", "é", "😀"]) {
    const { status, text } = await ask(character.repeat(most));
    expect({ character, isTaken: [200, 201, 202].includes(status), text }).toEqual({
      character,
      isTaken: true,
      text,
    });
    expectError(await ask(character.repeat(most + 1)), 400, "BAD_REQUEST", `${most}`);
  }
});
