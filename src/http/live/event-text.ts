/** A server-sent event. An event without a name and data moves only the reader's position. */
export type LiveEvent = { name: string; json: string; id?: string | undefined };

/** Writes events (HTML standard, 9.2.6). JSON has no line breaks of its own. */
export function eventText({ name, json, id }: LiveEvent): string {
  return `${idLine(id)}event: ${name}\ndata: ${json}\n\n`;
}

/** Writes a comment, which keeps proxies from closing the connection, and the position to continue from. */
export function heartbeatText(id?: string): string {
  return `: \n${idLine(id)}\n`;
}

function idLine(id: string | undefined): string {
  return id === undefined ? "" : `id: ${id}\n`;
}
