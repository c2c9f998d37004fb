import type { DeliveryDetail, Endpoint } from "../../client/types";

/** Returns a command for a POSIX shell that sends the payload to the endpoint's URL, to try a receiver by hand. */
export function curlOf(delivery: DeliveryDetail, endpoint: Pick<Endpoint, "headers">, url: string): string {
  const headers = [
    "content-type: application/json",
    `webhook-id: ${delivery.id}`,
    ...(delivery.event === null ? [] : [`webhook-event: ${encodeURI(delivery.event)}`]),
    ...Object.entries(endpoint.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return [
    `curl -i ${quoted(url)}`,
    ...headers.map((header) => `  -H ${quoted(header)}`),
    `  --data-binary ${quoted(JSON.stringify(delivery.data))}`,
  ].join(" \\\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
