import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { HeadTooLarge, UnreadableAnswer } from "../../src/attempt/failure";
import { AnswerReader } from "../../src/attempt/http1/answer-reader";
import { CASES, type Reading } from "./answer-cases";
import { Receiver } from "./receiver";

/** Reads bytes that arrive in these pieces, then the end of the connection. */
function readingOf(pieces: readonly Buffer[]): { reading: Reading; keeps: boolean } {
  const reader = new AnswerReader();
  let isWhole = false;
  try {
    for (const piece of pieces) isWhole = isWhole || reader.read(piece);
    isWhole ||= reader.end();
  } catch (error) {
    if (!(error instanceof UnreadableAnswer || error instanceof HeadTooLarge)) throw error;
  }
  const { status, keepsConnection: keeps } = reader;
  if (status === 0) return { reading: "refused", keeps };
  return { reading: `${status} ${isWhole ? reader.bodyText : "cut"}`, keeps };
}

describe("an answer", () => {
  test.each(CASES)("$name", ({ bytes, reading, keeps }) => {
    const all = Buffer.from(bytes, "latin1");
    expect(readingOf([all])).toEqual({ reading, keeps });
    const inBytes = Array.from(all, (_, at) => all.subarray(at, at + 1));
    // Byte by byte the reader sees nothing after the answer, so only the parsing is compared.
    expect(readingOf(inBytes).reading).toBe(reading);
  });
});

/** Cases that another parser reads differently. */
type Differences = Readonly<Record<string, Reading>>;

const all = (reading: Reading, names: readonly string[]): Differences =>
  Object.fromEntries(names.map((name) => [name, reading]));

const NODE: Differences = {
  // Refuses harmless faults that receivers send (RFC 9112, 2.2, 5.1 and 5.2).
  ...all("refused", [
    "HTTP/1.2",
    "line feeds alone",
    "line feeds among others",
    "line feeds alone between chunks",
    "a return alone between fields",
    "a blank before the first field",
    "a value over two lines",
    "a length over two lines",
    "a name beyond ASCII",
    "a blank before a colon",
    "a blank within a name",
    "no name",
    "no colon",
    "NUL in a value",
    "tabs around a length",
    "an extension without a name",
    "blanks behind a chunk's size",
    "a chunk shorter than its size",
    "a length among the trailers",
  ]),
  // Refuses an answer because of bytes after it. We only give up the connection.
  ...all("refused", [
    "more than the length",
    "something behind the last chunk",
    "something behind one that closes",
  ]),
  ...all("refused", ["204 with a length"]),
  // Refuses two lengths that agree, or that RFC 9112, 6.3 decides between. We only give up the connection.
  ...all("refused", [
    "a length twice",
    "a length listed twice",
    "a length beside chunks",
    "identity with a length",
  ]),
  // Refuses the answer if the first piece of its body can't be read. We keep the head.
  ...all("refused", [
    "a size that is none",
    "a size below zero",
    "a size in the way of C",
    "a size beyond all numbers",
    "no size",
    "no semicolon before an extension",
    "a chunk longer than its size",
  ]),
  // Accepts answers that are not HTTP/1.
  ...all("200 ab", ["HTTP/0.9", "another protocol's name"]),
};

const CURL: Differences = {
  // Reads everything that does not begin like an answer as HTTP/0.9, and refuses it.
  ...all("refused", ["an empty line before", "two empty lines before"]),
  ...all("refused", ["HTTP/1.2", "no colon", "NUL in a value", "a length over two lines"]),
  // Reads a first field line that begins with a blank as part of the status line.
  ...all("200 cut", ["a blank before the first field", "a blank before a length's name"]),
  ...all("200 ab", ["small letters", "two blanks behind the version"]),
  // Accepts an unfinished head, and an interim answer as the final one.
  "a head that ends early": "200 ",
  "100 and nothing": "100 cut",
  "a change of protocols": "101 cut",
  // Guesses an invalid length, and picks one of two.
  ...all("200 ab", [
    "two lengths",
    "two lengths in a list",
    "a length with a sign",
    "a length with a fraction",
    "a length too large to be one",
    "a blank before a length's colon",
  ]),
  "a length in hex": "200 ",
  "a blank within a length": "200 a",
  "a blank before a coding's colon": "200 2\r\nab\r\n0\r\n\r\n",
  "zeros before a chunk's size": "200 cut",
  "no semicolon before an extension": "200 ab",
  // Does not know the coding.
  ...all("200 cut", [
    "chunks before another coding",
    "a coding like chunks",
    "chunks in a field of their own",
  ]),
};

/** Returns the version of a program, major number first; null if it is not installed. */
function versionOf(program: string): string | null {
  if (Bun.which(program) === null) return null;
  const text = Bun.spawnSync([program, "--version"]).stdout.toString();
  return /(\d+)\.\d+/.exec(text)?.[0] ?? null;
}

describe("with these exceptions, the same bytes are read alike by", () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.open({
      onRequest({ head, socket }) {
        const n = Number(/^\w+ \/(\d+)/.exec(head)?.[1]);
        socket.end(Buffer.from(CASES[n]?.bytes ?? "", "latin1"));
      },
    });
  });
  afterAll(() => receiver.close());

  const expected = (differences: Differences) =>
    CASES.map(({ name, reading }) => [name, differences[name] ?? reading]);
  const named = (readings: readonly string[]) => CASES.map(({ name }, n) => [name, readings[n]]);

  // Other versions may read them differently.
  test.skipIf(!versionOf("node")?.startsWith("20."))("Node 20", async () => {
    const program = join(import.meta.dir, "judge.mjs");
    const child = Bun.spawn(["node", program, String(receiver.port), String(CASES.length)], {
      stdout: "pipe",
    });
    const readings = JSON.parse(await new Response(child.stdout).text());
    expect(named(readings)).toEqual(expected(NODE));
  });

  test.skipIf(versionOf("curl") !== "7.88")("curl 7.88", async () => {
    const read = async (n: number): Promise<string> => {
      const url = `http://127.0.0.1:${receiver.port}/${n}`;
      const child = Bun.spawn(["curl", "-s", "--max-time", "2", "-d", "{}", "-w", "\n%{http_code}", url], {
        stdout: "pipe",
        env: {},
      });
      const text = Buffer.from(await new Response(child.stdout).arrayBuffer()).toString("latin1");
      const [, body, status = "000"] = /^(.*)\n(\d+)$/s.exec(text) ?? [];
      const code = await child.exited;
      // curl exits with 1 for another protocol, with 8 for a head that it can't read.
      if (status === "000" || code === 8 || code === 1) return "refused";
      return `${Number(status)} ${code === 0 ? body : "cut"}`;
    };
    const readings: string[] = [];
    for (let n = 0; n < CASES.length; n++) readings.push(await read(n));
    expect(named(readings)).toEqual(expected(CURL));
  });
});
