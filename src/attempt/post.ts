/** A POST as it goes over the wire. */
export type Post = {
  /** A path, or a whole URL for a proxy (RFC 9112, 3.2). */
  target: string;
  host: string;
  userAgent: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** For a proxy; null is nothing. */
  proxyAuthorization: string | null;
  body: string;
};

/** What would end a header field before its end, looked for once in all of them. */
const BREAK = /[\r\n\0]/;

/** The bytes of a POST (RFC 9112). Throws for a header that would be more than one. */
export function postBytes({ target, host, userAgent, headers, proxyAuthorization, body }: Post): Buffer {
  let head = `POST ${target} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: ${userAgent}\r\n`;
  if (proxyAuthorization !== null) head += `proxy-authorization: ${proxyAuthorization}\r\n`;
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
  // Not as one text, which would be another copy of both. All of the head is ASCII.
  const bytes = Buffer.allocUnsafe(head.length + bodyLength);
  bytes.write(head);
  bytes.write(body, head.length);
  return bytes;
}
