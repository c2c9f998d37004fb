import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HeadTooLarge, UnreadableAnswer } from "../../src/attempt/failure";
import { MAX_LINES, MAX_VALUE_LENGTH, parseAnswerHead } from "../../src/attempt/http1/answer-head";
import { AnswerReader, MAX_INTERIM } from "../../src/attempt/http1/answer-reader";
import { Budget } from "../../src/runtime/budget";

/** Reads bytes that arrive in these pieces, then the end of the connection unless the answer is complete. */
function read(pieces: readonly Buffer[]) {
  const reader = new AnswerReader();
  let isDone = false;
  for (const piece of pieces) isDone = isDone || reader.read(piece);
  isDone ||= reader.end();
  const { status, head, keepsConnection } = reader;
  const { retryAfter = null, idleTimeoutS = null } = head ?? {};
  return { status, retryAfter, idleTimeoutS, keepsConnection, body: isDone ? reader.bodyText : null };
}

const readText = (text: string) => read([Buffer.from(text, "latin1")]);

/** Returns the name of the thrown error, or else the outcome. */
function outcomeOf(pieces: readonly Buffer[]) {
  try {
    return read(pieces);
  } catch (error) {
    if (error instanceof UnreadableAnswer || error instanceof HeadTooLarge) return error.name;
    throw error;
  }
}

/** Cuts `bytes` at these positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

const places = fc.array(fc.nat(), { maxLength: 20 });
const lineEnd = fc.constantFrom("\r\n", "\n");
const body = fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n", "0", ":"), maxLength: 1_500 });

/** Encodes a body in chunks of these sizes, some with extensions and trailers. */
function chunked(text: string, sizes: readonly number[], end: string): string {
  let rest = text;
  let all = "";
  for (let i = 0; rest !== ""; i++) {
    const size = Math.min(sizes[i % sizes.length] ?? 1, rest.length);
    all += `${size.toString(16)}${i % 2 === 0 ? "" : ";x=y"}${end}${rest.slice(0, size)}${end}`;
    rest = rest.slice(size);
  }
  return `${all}0${end}x-trailer: y${end}${end}`;
}

const answers = fc
  .record({
    status: fc.integer({ min: 200, max: 999 }).filter((status) => status !== 204 && status !== 304),
    interim: fc.array(fc.constantFrom(100, 102, 103), { maxLength: 3 }),
    end: lineEnd,
    body,
    framing: fc.constantFrom("length", "chunks", "close"),
    sizes: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
  })
  .map(({ status, interim, end, body, framing, sizes }) => {
    const before = interim.map((each) => `HTTP/1.1 ${each} X${end}link: x${end}${end}`).join("");
    const fields = {
      length: `content-length: ${body.length}${end}`,
      chunks: `transfer-encoding: chunked${end}`,
      close: "",
    };
    const wire = framing === "chunks" ? chunked(body, sizes, end) : body;
    const text = `${before}HTTP/1.1 ${status} X${end}Retry-After: 7${end}${fields[framing]}${end}${wire}`;
    return { bytes: Buffer.from(text), status, body, framing };
  });

test("an answer is the same however its bytes arrive", () => {
  fc.assert(
    fc.property(answers, places, ({ bytes, status, body, framing }, at) => {
      const answer = read(cut(bytes, at));
      expect(answer).toMatchObject({ status, retryAfter: "7", body: body.slice(0, 1_024) });
      // A connection is not reused if the rest of the body is not wanted.
      if (framing === "close" || body.length < 1_024)
        expect(answer.keepsConnection).toBe(framing !== "close");
    }),
    { numRuns: 500 },
  );
});

test("bytes of any kind are read or refused alike, however they arrive", () => {
  const fragments = fc.array(
    fc.constantFrom(
      "HTTP/1.1 200 X",
      "HTTP/1.1 100 X",
      "\r\n",
      "\n",
      "\r",
      ":",
      " ",
      "content-length: 3",
      "transfer-encoding: chunked",
      "3",
      "0",
      "zz",
      "abc",
      "\0",
      "é",
    ),
    { maxLength: 25 },
  );
  fc.assert(
    fc.property(fragments, places, (texts, at) => {
      const bytes = Buffer.from(texts.join(""), "latin1");
      const whole = outcomeOf([bytes]);
      const pieces = outcomeOf(cut(bytes, at));
      // The reader sees an error after the end of an answer only in the last piece, as surplus.
      if (typeof whole === "object" && typeof pieces === "object") {
        expect({ ...pieces, keepsConnection: null }).toEqual({ ...whole, keepsConnection: null });
      } else expect(pieces).toEqual(whole);
    }),
    { numRuns: 3_000 },
  );
});

describe("the end of a body", () => {
  test.each([
    ["a length", "content-length: 2\r\n\r\nab", "ab"],
    ["a length said twice", "content-length: 2\r\nContent-Length: 2\r\n\r\nab", "ab"],
    ["a length of nothing", "content-length: 0\r\n\r\n", ""],
    ["chunks", "transfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", "ab"],
    ["chunks of something packed", "transfer-encoding: gzip, Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", "ab"],
    [
      "chunks, whatever the length",
      "content-length: 9\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
      "a",
    ],
    ["the connection's, when it is something packed alone", "transfer-encoding: gzip\r\n\r\nab", "ab"],
    [
      "the connection's, when chunks are packed once more",
      "transfer-encoding: chunked, gzip\r\n\r\nab",
      "ab",
    ],
    ["the connection's", "x: y\r\n\r\nab", "ab"],
  ])("is marked by %s", (_, rest, expected) => {
    expect(readText(`HTTP/1.1 200 OK\r\n${rest}`).body).toBe(expected);
  });

  test.each([204, 304])("is the end of the head in a %d", (status) => {
    const answer = readText(`HTTP/1.1 ${status} X\r\ncontent-length: 5\r\n\r\n`);
    expect(answer).toMatchObject({ status, body: "", keepsConnection: false });
  });

  test.each([
    "content-length: 3\r\n\r\nab",
    "transfer-encoding: chunked\r\n\r\n3\r\nab",
    "transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
  ])("is missing in %j", (rest) => {
    expect(readText(`HTTP/1.1 200 OK\r\n${rest}`)).toMatchObject({ status: 200, body: null });
  });
});

describe("a connection serves another request", () => {
  const whole = "content-length: 2\r\n\r\nab";
  test.each([
    ["HTTP/1.1", `HTTP/1.1 200 X\r\n${whole}`, true],
    ["HTTP/1.1 that closes", `HTTP/1.1 200 X\r\nConnection: foo, Close\r\n${whole}`, false],
    ["HTTP/1.0", `HTTP/1.0 200 X\r\n${whole}`, false],
    ["HTTP/1.0 that stays", `HTTP/1.0 200 X\r\nconnection: Keep-Alive\r\n${whole}`, true],
    ["more than was announced", `HTTP/1.1 200 X\r\n${whole}c`, false],
    ["another answer behind", `HTTP/1.1 204 X\r\n\r\nHTTP/1.1 500 X\r\n\r\n`, false],
    ["more behind chunks", "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nx", false],
    ["a body that is not whole", `HTTP/1.1 200 X\r\ncontent-length: 9999\r\n\r\n${"a".repeat(2_000)}`, false],
  ])("after %s: %#", (_, text, expected) => {
    expect(readText(text).keepsConnection).toBe(expected);
  });

  test.each([
    ["timeout=5", 5],
    ["timeout=5, max=100", 5],
    ['max=100, Timeout = "60"', 60],
    ["max=100", null],
    ["soon", null],
  ])("for as long as its receiver says: %s", (value, seconds) => {
    const answer = readText(`HTTP/1.1 200 X\r\nKeep-Alive: ${value}\r\n${whole}`);
    expect(answer.idleTimeoutS).toBe(seconds);
  });
});

describe("bytes are refused that are", () => {
  test.each([
    ["another protocol", "HTTP/2 200\r\n\r\n"],
    ["a status that is none", "HTTP/1.1 20 X\r\n\r\n"],
    ["a space before the colon", "HTTP/1.1 200 X\r\ncontent-length : 5\r\n\r\n"],
    ["a length below nothing", "HTTP/1.1 200 X\r\ncontent-length: -1\r\n\r\n"],
    ["a length of digits that are none", "HTTP/1.1 200 X\r\ncontent-length: 0x10\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 X\r\ncontent-length: 5, 6\r\n\r\n"],
    ["a chunk below nothing", "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n"],
    [
      "a chunk longer than it says",
      "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    ],
    ["a size without end", `HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n1;${"x".repeat(9_000)}`],
    [
      "trailers without end",
      `HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${"x: y\r\n".repeat(300)}`,
    ],
    ["a first line that is none, before the head ends", "<html>\n"],
  ])("%s", (_, text) => {
    expect(() => readText(text)).toThrow(UnreadableAnswer);
  });

  test("an invalid first line after an interim answer, before the head ends", () => {
    const pieces = ["HTTP/1.1 100 X\r\n", "\r\n", "<html>\n"].map((text) => Buffer.from(text));
    expect(() => read(pieces)).toThrow(UnreadableAnswer);
  });

  test("a head of more than 256 KiB, even byte by byte", () => {
    const reader = new AnswerReader();
    reader.read(Buffer.from("HTTP/1.1 200 X\r\nx: "));
    const byte = Buffer.from("a");
    expect(() => {
      for (let i = 0; i < 300_000; i++) reader.read(byte);
    }).toThrow(HeadTooLarge);
  });
});

describe("the reader bounds the heads of an exchange", () => {
  const interim = (length: number) => {
    const start = "HTTP/1.1 103 X\r\nx: ";
    return Buffer.from(`${start}${"a".repeat(length - start.length - 4)}\r\n\r\n`);
  };
  /** Counts the interim answers that a reader accepts of an endless series. */
  const takenOf = (pieces: readonly Buffer[]) => {
    const reader = new AnswerReader();
    for (let taken = 0; ; taken++) {
      try {
        for (const piece of pieces) reader.read(piece);
      } catch (error) {
        expect(error).toBeInstanceOf(HeadTooLarge);
        return taken;
      }
    }
  };

  test.each([
    [262_144, 1],
    [131_072, 2],
    [50_000, 5],
    [3_000, 87],
    [100, MAX_INTERIM],
  ])("over interim answers too: of %d bytes it accepts %d", (length, most) => {
    const bytes = interim(length);
    expect(takenOf([bytes])).toBe(most);
    expect(takenOf(cut(bytes, [5, length - 3, length - 1]))).toBe(most);
  });

  test("together with the head of the final answer, in one piece or many", () => {
    const head = (length: number) => Buffer.concat([interim(200_000), interim(length)]);
    const answer = Buffer.from("HTTP/1.1 200 X\r\ncontent-length: 0\r\n\r\n");
    const bytes = (spare: number) => Buffer.concat([head(62_144 - answer.length - spare), answer]);
    for (const at of [[], [100, 200_100, 262_100]]) {
      expect(outcomeOf(cut(bytes(0), at))).toMatchObject({ status: 200, body: "" });
      expect(outcomeOf(cut(bytes(-1), at))).toBe("HeadTooLarge");
    }
  });

  test("by the number of lines, whether they begin a field or continue one", () => {
    const outcome = (line: string, lines: number) =>
      outcomeOf([Buffer.from(`HTTP/1.1 200 X\r\nx: y\r\n${line.repeat(lines - 1)}\r\n`)]);
    for (const line of ["x: y\r\n", " y\r\n"]) {
      expect(outcome(line, MAX_LINES)).toMatchObject({ status: 200 });
      expect(outcome(line, MAX_LINES + 1)).toBe("UnreadableAnswer");
    }
  });

  const withFields = (fields: string) => outcomeOf([Buffer.from(`HTTP/1.1 204 X\r\n${fields}\r\n`)]);

  test.each(["transfer-encoding", "content-length"])(
    "by the length of the list in %s, in one field or several",
    (name) => {
      expect(withFields(`${name}: ${",".repeat(MAX_VALUE_LENGTH)}\r\n`)).toMatchObject({ status: 204 });
      expect(withFields(`${name}: ${",".repeat(MAX_VALUE_LENGTH + 1)}\r\n`)).toBe("UnreadableAnswer");
      expect(withFields(`${name}: ${",".repeat(1_000)}\r\n`.repeat(9))).toBe("UnreadableAnswer");
    },
  );

  test.each([
    ["connection", "close"],
    ["keep-alive", "timeout=9"],
    ["retry-after", "9"],
  ])("skips values that are too long in %s", (name, value) => {
    const long = `${value},${" ".repeat(MAX_VALUE_LENGTH)}x`;
    const none = withFields("");
    expect(withFields(`${name}: ${value}\r\n`)).not.toEqual(none);
    expect(withFields(`${name}: ${long}\r\n`)).toEqual(none);
  });
});

test("a field may continue over several lines", () => {
  expect(readText("HTTP/1.1 200 X\r\nretry-after:\r\n  7\r\ncontent-length: 0\r\n\r\n").retryAfter).toBe("7");
});

describe("a long answer takes no more memory than the part that is kept", () => {
  const HEAD = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  const chunk = `1;${"a".repeat(8_000)}\r\nx\r\n`;

  test.each<[string, string[]]>([
    ["a byte with each packet", [HEAD, ...Array(1_000).fill(chunk)]],
    ["a few bytes in a large packet", [HEAD + chunk.repeat(100)]],
    ["a large head", [`HTTP/1.1 200 OK\r\nx: ${"a".repeat(250_000)}`, "\r\n\r\n"]],
    ["a byte behind a large head", [`HTTP/1.1 200 OK\r\nx: ${"a".repeat(250_000)}\r\n\r\nx`]],
  ])("%s", (_, packets) => {
    Bun.gc(true);
    const { arrayBuffers: before } = process.memoryUsage();
    const readers = Array.from({ length: 40 }, () => new AnswerReader());
    for (const reader of readers) for (const packet of packets) reader.read(Buffer.from(packet));
    Bun.gc(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000);
    expect(readers.map(({ status }) => status)).toEqual(Array(40).fill(200));
  });
});

test("while there is no memory for large heads small ones are read, and large ones again once there is", () => {
  const room = new Budget(100_000);
  const begun = (bytes: number) => {
    const reader = new AnswerReader(room);
    reader.read(Buffer.from(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(bytes)}`));
    return reader;
  };
  const first = begun(60_000);
  const second = begun(60_000);
  expect(() => begun(20_000)).toThrow(HeadTooLarge);
  expect(() => second.read(Buffer.from("a"))).toThrow(HeadTooLarge);
  expect(begun(10_000).read(Buffer.from("\r\ncontent-length: 0\r\n\r\n"))).toBe(true);
  second.release();
  expect(first.read(Buffer.from("\r\ncontent-length: 0\r\n\r\n"))).toBe(true);
  for (let i = 0; i < 10; i++) begun(60_000).release();
  expect(begun(60_000).status).toBe(0);
  expect(begun(30_000).read(Buffer.from("\r\ncontent-length: 0\r\n\r\n"))).toBe(true);
});

test("the receiver's `webhook-delivery` instruction is read, and no unknown one", () => {
  const instructionIn = (value: string) =>
    parseAnswerHead(`HTTP/1.1 403 No\r\nWebhook-Delivery: ${value}\r\n\r\n`).instruction;
  expect(instructionIn("abort-message")).toBe("abort-message");
  expect(instructionIn(" Disable ")).toBe("disable");
  expect(instructionIn("later")).toBeNull();
});
