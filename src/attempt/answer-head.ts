import { UnreadableAnswer } from "./failure";

/** How the end of a body is told (RFC 9112, 6.3). */
export type Framing = { by: "length"; length: number } | { by: "chunks" } | { by: "close" };

/** What is wanted of an answer's head. */
export type AnswerHead = Readonly<{
  /** 100–999. */
  status: number;
  framing: Framing;
  retryAfter: string | null;
  /** Where a redirect leads, its first 2,048 characters; null for any other status. */
  location: string | null;
  /** Whether the connection may serve another request after this answer. */
  keepsConnection: boolean;
  /** How long the receiver says it leaves an idle connection open, seconds; null when it does not. */
  idleTimeoutS: number | null;
}>;

const STATUS_LINE = /^HTTP\/1\.([01]) ([0-9]{3})(?: .*)?$/;
/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Lines of a head beside its first and its last, each of a field or of what goes on from the one before. */
export const MAX_LINES = 256;
/** Characters of a value that is looked into; all of its lines together, and of fields of one name. */
export const MAX_VALUE_LENGTH = 8_192;
/** Bytes of a redirect's target that are kept. */
export const MAX_LOCATION = 2_048;
/** Characters of a head that hardly any exceeds. */
const SHORT = 4_096;
const FOLDED = /\n[ \t]/;
const FOLD = /^[ \t]+/;

/** Throws `UnreadableAnswer` for what is not the first line of an answer in HTTP/1. */
export function checkStatusLine(line: string): void {
  if (!STATUS_LINE.test(line)) throw new UnreadableAnswer("not HTTP");
}

/**
 * Reads a head with the empty line that ends it. Lines may end without a carriage return (RFC 9112, 2.2). Throws
 * `UnreadableAnswer` for what leaves open where the answer ends.
 */
export function parseAnswerHead(text: string): AnswerHead {
  const [first = "", ...lines] = linesOf(text);
  const [, minor, digits] = STATUS_LINE.exec(withoutReturn(first)) ?? [];
  if (digits === undefined) throw new UnreadableAnswer("not HTTP");
  const status = Number(digits);
  if (status < 100) throw new UnreadableAnswer(`status ${digits}`);
  const fields = fieldsOf(lines);
  const framing = framingOf(status, fields);
  return {
    status,
    framing,
    retryAfter: fields.retryAfter === null ? null : copied(fields.retryAfter),
    location: status >= 300 && status < 400 ? locationText(fields.location) : null,
    keepsConnection: framing.by !== "close" && isKept(minor === "1", tokensOf(fields.connection)),
    idleTimeoutS: idleTimeoutOf(fields.keepAlive),
  };
}

/** Persistence is what HTTP/1.1 begins with (RFC 9112, 9.3). */
function isKept(isOneOne: boolean, connection: readonly string[]): boolean {
  return isOneOne ? !connection.includes("close") : connection.includes("keep-alive");
}

type Fields = {
  contentLength: string | null;
  transferEncoding: string | null;
  connection: string | null;
  keepAlive: string | null;
  retryAfter: string | null;
  location: string | null;
};

const WANTED: ReadonlyMap<string, keyof Fields> = new Map([
  ["content-length", "contentLength"],
  ["transfer-encoding", "transferEncoding"],
  ["connection", "connection"],
  ["keep-alive", "keepAlive"],
  ["retry-after", "retryAfter"],
  ["location", "location"],
]);

function fieldsOf(lines: readonly string[]): Fields {
  const fields: Fields = {
    contentLength: null,
    transferEncoding: null,
    connection: null,
    keepAlive: null,
    retryAfter: null,
    location: null,
  };
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    const wanted = WANTED.get(name.toLowerCase());
    if (wanted === undefined) {
      if (NAME.test(name)) continue;
      throw new UnreadableAnswer("a header field without a name");
    }
    const value = line.slice(colon + 1).trim();
    const before = fields[wanted];
    if (wanted === "location") {
      fields.location = before ?? value;
      continue;
    }
    // Of two that say the same thing the first counts; as a list the others are one (RFC 9110, 5.3).
    const all = before === null || wanted === "retryAfter" ? (before ?? value) : `${before},${value}`;
    if (all.length > MAX_VALUE_LENGTH) throw new UnreadableAnswer("a header field that is too long");
    fields[wanted] = all;
  }
  return fields;
}

/** The lines of a head but the empty one that ends it; behind that is nothing, which the split has for a line too. */
function linesOf(text: string): string[] {
  // With a limit, a short text takes longer.
  const lines = text.length > SHORT ? text.split("\n", MAX_LINES + 4) : text.split("\n");
  if (lines.length > MAX_LINES + 3) throw new UnreadableAnswer("more header fields than anyone needs");
  const own = lines.slice(0, -2);
  return FOLDED.test(text) ? unfolded(own) : own;
}

/** A field may go on over several lines, as was once allowed (RFC 9112, 5.2). */
function unfolded(lines: readonly string[]): string[] {
  const whole: string[] = [];
  for (const [i, line] of lines.entries()) {
    const piece = isFolded(lines[i + 1]) ? withoutReturn(line) : line;
    const before = isFolded(line) ? whole.pop() : undefined;
    whole.push(before === undefined ? piece : `${before} ${piece.replace(FOLD, "")}`);
  }
  return whole;
}

function isFolded(line = ""): boolean {
  return line.startsWith(" ") || line.startsWith("\t");
}

/** Some receivers write UTF-8. Postgres takes no NUL. */
function locationText(text: string | null): string | null {
  if (text === null) return null;
  return Buffer.from(text.slice(0, MAX_LOCATION), "latin1").toString("utf8").replaceAll("\0", "\u{fffd}");
}

/** A piece of a text keeps all of it in memory, here the whole head until the exchange ends. */
function copied(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function framingOf(status: number, { contentLength, transferEncoding }: Fields): Framing {
  if (status < 200 || status === 204 || status === 304) return { by: "length", length: 0 };
  // It overrides a length, and ends with the connection unless chunks come last.
  if (transferEncoding !== null) {
    return tokensOf(transferEncoding).at(-1) === "chunked" ? { by: "chunks" } : { by: "close" };
  }
  return contentLength === null ? { by: "close" } : { by: "length", length: lengthOf(contentLength) };
}

/** A length may be said twice, if it is the same (RFC 9112, 6.3). */
function lengthOf(text: string): number {
  const [length = "", ...others] = tokensOf(text);
  const isLength = /^[0-9]{1,15}$/.test(length) && others.every((other) => other === length);
  if (!isLength) throw new UnreadableAnswer("a length that is none");
  return Number(length);
}

function idleTimeoutOf(keepAlive: string | null): number | null {
  const seconds = /(?:^|[,;\s])timeout\s*=\s*"?([0-9]{1,6})/i.exec(keepAlive ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

function tokensOf(list: string | null): string[] {
  if (list === null) return [];
  return list.split(",").map((each) => each.trim().toLowerCase());
}
