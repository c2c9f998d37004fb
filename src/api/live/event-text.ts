/** A server-sent event. Without a name and data it only moves the reader's position. */
export type ServerSentEvent = { name: string; json: string; id?: string | undefined };

/** Writes events (HTML standard, 9.2.6). JSON has no line breaks of its own. */
export function eventText({ name, json, id }: ServerSentEvent): string {
  return `${idLine(id)}event: ${name}\ndata: ${json}\n\n`;
}

/** Writes a comment, so that proxies keep the connection open, and the position to continue from. */
export function heartbeatText(id?: string): string {
  return `: \n${idLine(id)}\n`;
}

function idLine(id: string | undefined): string {
  return id === undefined ? "" : `id: ${id}\n`;
}
