/** The parts of a POST. */
export type Post = {
  /** With its query. */
  path: string;
  host: string;
  userAgent: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
};

/** Matches characters that would end a header field early. */
const BREAK = /[\r\n\0]/;

/** Writes a POST (RFC 9112). Throws for a header that would become two. */
export function postBytes({ path, host, userAgent, headers, body }: Post): {
  bytes: Buffer;
  contentLength: number;
} {
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: ${userAgent}\r\n`;
  if (headers.accept === undefined) head += "accept: */*\r\n";
  let texts = "";
  for (const name in headers) {
    const value = headers[name] ?? "";
    texts += name + value;
    head += `${name}: ${value}\r\n`;
  }
  if (BREAK.test(texts)) throw new Error("a header has a line break");
  const bodyLength = Buffer.byteLength(body);
  head += `content-length: ${bodyLength}\r\n\r\n`;
  // One text would be another copy of both. The head is all ASCII.
  const bytes = Buffer.allocUnsafe(head.length + bodyLength);
  bytes.write(head);
  bytes.write(body, head.length);
  return { bytes, contentLength: bodyLength };
}
