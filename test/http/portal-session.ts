import type { Client } from "./client";
import type { TestService } from "./service";

/** The headers that a page of the portal sends. */
export const OWN = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

/** Makes a link with a key and opens it. Returns the headers of the embedded session's requests. */
export async function newPortalSession(service: TestService, client: Client, body: object) {
  const { url } = await client.expecting(201, client.post("/portal-sessions", body));
  const headers = { ...OWN, authorization: `Bearer ${url.split("#token=")[1]}` };
  const opening = { method: "POST", headers, body: JSON.stringify({ embedded: true }) };
  const session = (await (await fetch(`${service.url}/v1/portal-sessions/exchange`, opening)).json()) as {
    token: string;
  };
  return { ...OWN, authorization: `Bearer ${session.token}` };
}
