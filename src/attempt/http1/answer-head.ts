import { INSTRUCTIONS, type Instruction } from "../../domain/outcome";
import { UnreadableAnswer } from "../failure";

/** How the end of a body is found (RFC 9112, 6.3). */
export type Framing = { by: "length"; length: number } | { by: "chunks" } | { by: "close" };

/** The parts of a head that Hermod uses. */
export type AnswerHead = Readonly<{
  /** 100–999. */
  status: number;
  framing: Framing;
  retryAfter: string | null;
  instruction: Instruction | null;
  /** Target of a redirect, its first 2,048 characters; null for any other status. */
  location: string | null;
  /** The header lines, separated by line feeds. Only whole lines, up to `MAX_KEPT_HEADERS` characters. */
  lines: string;
  /** True if the connection may carry another request after this answer. */
  keepsConnection: boolean;
  /** Seconds that the receiver leaves an idle connection open; null if it does not say. */
  idleTimeoutS: number | null;
}>;

/** Every version but 1.0 is read as 1.1 (RFC 9110, 2.5). Some receivers write 2.0 over HTTP/1, and other clients read it. */
const STATUS_LINE = /^HTTP\/(1\.[0-9]|2\.0) ([0-9]{3})(?: .*)?$/;
/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Matches a line that is not a field, but that some parser may read as a length or a transfer coding. */
const HIDDEN_FRAMING = /^[^a-z]*(?:content-length|transfer-encoding)(?![!#$%&'*+.^_`|~0-9a-z-])/i;
/** Most lines of a head, without the first and the last. */
export const MAX_LINES = 256;
/** Most characters of a parsed value, over all fields of its name. */
export const MAX_VALUE_LENGTH = 8_192;
/** Bytes of a redirect's target that are kept. */
export const MAX_LOCATION = 2_048;
/** Characters of header lines that are kept. */
export const MAX_KEPT_HEADERS = 4_096;
/** Hardly any head has more characters. */
const SHORT = 4_096;
const FOLDED = /\n[ \t]/;
const FOLD = /^[ \t]+/;

/** Throws `UnreadableAnswer` if this is not the first line of an answer in HTTP/1. */
export function checkStatusLine(line: string): void {
  if (!STATUS_LINE.test(line)) throw new UnreadableAnswer("not_http");
}

/**
 * Parses a head, including the empty line at its end. Lines may end without a carriage return (RFC 9112, 2.2). Skips lines
 * that are not fields. Throws `UnreadableAnswer` if the end of the answer is not certain.
 */
export function parseAnswerHead(text: string): AnswerHead {
  const [first = "", ...lines] = linesOf(text);
  const [, version, digits] = STATUS_LINE.exec(withoutReturn(first)) ?? [];
  if (digits === undefined) throw new UnreadableAnswer("not_http");
  const status = Number(digits);
  if (status < 100) throw new UnreadableAnswer("status_invalid");
  const fields = fieldsOf(FOLDED.test(text) ? unfolded(lines) : lines);
  const framing = framingOf(status, fields);
  const isOneOne = version !== "1.0";
  return {
    status,
    framing,
    retryAfter: fields.retryAfter === null ? null : copied(fields.retryAfter),
    instruction: INSTRUCTIONS.find((each) => each === fields.delivery?.toLowerCase()) ?? null,
    location: status >= 300 && status < 400 ? locationText(fields.location) : null,
    lines: keptLines(text),
    keepsConnection:
      framing.by !== "close" &&
      isKept(isOneOne, tokensOf(fields.connection)) &&
      !isAmbiguous(status, isOneOne, fields),
    idleTimeoutS: idleTimeoutOf(fields.keepAlive),
  };
}

/** Connections persist from HTTP/1.1 on (RFC 9112, 9.3). */
function isKept(isOneOne: boolean, connection: readonly string[]): boolean {
  return isOneOne ? !connection.includes("close") : connection.includes("keep-alive");
}

/**
 * True if the receiver or a proxy may see the end of the answer elsewhere: the head announces a body where there is none, or
 * gives two measures (RFC 9112, 6.1 and 6.3). The bytes that follow must not be read as the next answer.
 */
function isAmbiguous(
  status: number,
  isOneOne: boolean,
  { contentLength, transferEncoding }: HeadFields,
): boolean {
  if (hasNoBody(status)) return transferEncoding !== null || !/^0*$/.test(contentLength ?? "");
  return transferEncoding !== null && (contentLength !== null || !isOneOne);
}

function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

type HeadFields = {
  contentLength: string | null;
  transferEncoding: string | null;
  connection: string | null;
  keepAlive: string | null;
  retryAfter: string | null;
  location: string | null;
  delivery: string | null;
};

const WANTED: ReadonlyMap<string, keyof HeadFields> = new Map([
  ["content-length", "contentLength"],
  ["transfer-encoding", "transferEncoding"],
  ["connection", "connection"],
  ["keep-alive", "keepAlive"],
  ["retry-after", "retryAfter"],
  ["location", "location"],
  ["webhook-delivery", "delivery"],
]);

function fieldsOf(lines: readonly string[]): HeadFields {
  const fields: HeadFields = {
    contentLength: null,
    transferEncoding: null,
    connection: null,
    keepAlive: null,
    retryAfter: null,
    location: null,
    delivery: null,
  };
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    const wanted = WANTED.get(name.toLowerCase());
    if (wanted !== undefined) fields[wanted] = joined(wanted, fields[wanted], line.slice(colon + 1).trim());
    else if (!NAME.test(name) && HIDDEN_FRAMING.test(line)) throw new UnreadableAnswer("length_invalid");
  }
  return fields;
}

/** Joins a repeated field into a list (RFC 9110, 5.3). Keeps the first value of a field that is not a list. */
function joined(field: keyof HeadFields, before: string | null, value: string): string | null {
  if (field === "location") return before ?? value;
  const all = before === null || field === "retryAfter" ? (before ?? value) : `${before},${value}`;
  if (all.length <= MAX_VALUE_LENGTH) return all;
  if (field === "contentLength" || field === "transferEncoding") throw new UnreadableAnswer("length_invalid");
  return before;
}

/** Splits a head into lines, without the empty line at its end. */
function linesOf(text: string): string[] {
  // Without a limit for a short text, since the limit makes splitting slower.
  const lines = text.length > SHORT ? text.split("\n", MAX_LINES + 4) : text.split("\n");
  if (lines.length > MAX_LINES + 3) throw new UnreadableAnswer("too_many_fields");
  return lines.slice(0, -2);
}

/** Joins fields that span several lines, as was once allowed (RFC 9112, 5.2). */
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

/** Returns the header lines to keep. Copies only a long head: a slice of a short one holds little else in memory. */
function keptLines(text: string): string {
  const from = text.indexOf("\n") + 1;
  const all = text.slice(from, from + MAX_KEPT_HEADERS);
  const isCut = text.length > from + MAX_KEPT_HEADERS;
  const lines = isCut ? copied(all.slice(0, all.lastIndexOf("\n") + 1)) : all;
  return lines.replaceAll("\r\n", "\n").trim();
}

/** Copies a text: a slice would keep the whole head in memory until the exchange ends. */
function copied(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function framingOf(status: number, { contentLength, transferEncoding }: HeadFields): Framing {
  if (hasNoBody(status)) return { by: "length", length: 0 };
  // "identity" once meant no coding, and is still sent.
  const codings = tokensOf(transferEncoding).filter((coding) => coding !== "" && coding !== "identity");
  // Codings override a length. The body ends with the connection unless the last coding is chunked.
  if (codings.length > 0) return { by: codings.at(-1) === "chunked" ? "chunks" : "close" };
  return contentLength === null ? { by: "close" } : { by: "length", length: lengthOf(contentLength) };
}

/** Parses a length, which may be given twice if it is the same (RFC 9112, 6.3). */
function lengthOf(text: string): number {
  const [length = "", ...others] = tokensOf(text);
  const isLength = /^[0-9]{1,15}$/.test(length) && others.every((other) => other === length);
  if (!isLength) throw new UnreadableAnswer("length_invalid");
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
