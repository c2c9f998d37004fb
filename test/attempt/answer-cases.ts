/** The reading of an answer: status and body, `cut` in place of the body if its end is missing or unreadable, or `refused`. */
export type Reading = `${number} ${string}` | `${number} cut` | "refused";

export type AnswerCase = Readonly<{
  name: string;
  bytes: string;
  reading: Reading;
  /** True if the connection may carry another request. */
  keeps: boolean;
}>;

const OK = "HTTP/1.1 200 OK\r\n";
const TWO = "content-length: 2\r\n\r\nab";
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

/**
 * Answers of every kind in the public test suites of HTTP/1 parsers, each followed by the end of the connection. We read the
 * answers of every well-meaning receiver. If the end of an answer is in doubt, we refuse it or give up the connection.
 */
export const CASES: readonly AnswerCase[] = [
  // The first line.
  { name: "a reason", bytes: `${OK}${TWO}`, reading: "200 ab", keeps: true },
  { name: "no reason", bytes: `HTTP/1.1 200 \r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "no blank behind the status", bytes: `HTTP/1.1 200\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "a reason beyond ASCII", bytes: `HTTP/1.1 500 Oriënt\r\n${TWO}`, reading: "500 ab", keeps: true },
  { name: "blanks in a reason", bytes: `HTTP/1.1 200   O  K \r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "a status nobody knows", bytes: `HTTP/1.1 799 X\r\n${TWO}`, reading: "799 ab", keeps: true },
  { name: "an empty line before", bytes: `\r\n${OK}${TWO}`, reading: "200 ab", keeps: true },
  { name: "two empty lines before", bytes: `\n\r\n${OK}${TWO}`, reading: "200 ab", keeps: true },
  { name: "HTTP/1.0", bytes: `HTTP/1.0 200 OK\r\n${TWO}`, reading: "200 ab", keeps: false },
  { name: "HTTP/1.2", bytes: `HTTP/1.2 200 OK\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "HTTP/1.10", bytes: `HTTP/1.10 200 OK\r\n${TWO}`, reading: "refused", keeps: false },
  { name: "HTTP/2.0", bytes: `HTTP/2.0 200 OK\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "HTTP/0.9", bytes: `HTTP/0.9 200 OK\r\n${TWO}`, reading: "refused", keeps: false },
  { name: "HTTP/11.1", bytes: `HTTP/11.1 200 OK\r\n${TWO}`, reading: "refused", keeps: false },
  { name: "no version", bytes: `HTTP 200 OK\r\n${TWO}`, reading: "refused", keeps: false },
  { name: "another protocol's name", bytes: `RTSP/1.1 200 OK\r\n${TWO}`, reading: "refused", keeps: false },
  { name: "ICE", bytes: `ICY 200 OK\r\n${TWO}`, reading: "refused", keeps: false },
  { name: "small letters", bytes: `http/1.1 200 OK\r\n${TWO}`, reading: "refused", keeps: false },
  { name: "a tab behind the version", bytes: `HTTP/1.1\t200 OK\r\n${TWO}`, reading: "refused", keeps: false },
  {
    name: "two blanks behind the version",
    bytes: `HTTP/1.1  200 OK\r\n${TWO}`,
    reading: "refused",
    keeps: false,
  },
  { name: "a status of one digit", bytes: `HTTP/1.1 2 OK\r\n${TWO}`, reading: "refused", keeps: false },
  { name: "a status of four digits", bytes: `HTTP/1.1 2000 OK\r\n${TWO}`, reading: "refused", keeps: false },
  {
    name: "a status that is no number",
    bytes: `HTTP/1.1 abc OK\r\n${TWO}`,
    reading: "refused",
    keeps: false,
  },
  { name: "no HTTP at all", bytes: "<html>oops</html>\r\n\r\n", reading: "refused", keeps: false },
  { name: "a head that ends early", bytes: `${OK}content-le`, reading: "refused", keeps: false },
  // Lines.
  {
    name: "line feeds alone",
    bytes: "HTTP/1.1 200 OK\ncontent-length: 2\n\nab",
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "line feeds among others",
    bytes: `HTTP/1.1 200 OK\nx: y\r\n${TWO}`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "a return alone between fields",
    bytes: `${OK}x: y\rz: w\r\n${TWO}`,
    reading: "200 ab",
    keeps: true,
  },
  { name: "a blank before the first field", bytes: `${OK} x: y\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "a value over two lines", bytes: `${OK}x: a\r\n b\r\n${TWO}`, reading: "200 ab", keeps: true },
  {
    name: "a length over two lines",
    bytes: `${OK}content-length:\r\n 2\r\n\r\nab`,
    reading: "200 ab",
    keeps: true,
  },
  // Fields that are no framing.
  { name: "an empty value", bytes: `${OK}x:\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "blanks around a value", bytes: `${OK}x: \t y \t \r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "an underscore in a name", bytes: `${OK}x_y: z\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "a value beyond ASCII", bytes: `${OK}x: é\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "a name beyond ASCII", bytes: `${OK}é: x\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "a blank before a colon", bytes: `${OK}Expires : 0\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "a blank within a name", bytes: `${OK}Set Cookie: x\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "no name", bytes: `${OK}: x\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "no colon", bytes: `${OK}nonsense\r\n${TWO}`, reading: "200 ab", keeps: true },
  { name: "NUL in a value", bytes: `${OK}x: a\0b\r\n${TWO}`, reading: "200 ab", keeps: true },
  {
    name: "a name like a length's",
    bytes: `${OK}content-length-x: 9\r\n${TWO}`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "a proxy's field",
    bytes: `${OK}proxy-connection: close\r\n${TWO}`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "an offer to change protocols",
    bytes: `${OK}upgrade: h2c\r\n${TWO}`,
    reading: "200 ab",
    keeps: true,
  },
  // Lengths.
  {
    name: "tabs around a length",
    bytes: `${OK}content-length:\t2\t\r\n\r\nab`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "zeros before a length",
    bytes: `${OK}content-length: 002\r\n\r\nab`,
    reading: "200 ab",
    keeps: true,
  },
  { name: "a length twice", bytes: `${OK}content-length: 2\r\n${TWO}`, reading: "200 ab", keeps: true },
  {
    name: "a length listed twice",
    bytes: `${OK}content-length: 2, 2\r\n\r\nab`,
    reading: "200 ab",
    keeps: true,
  },
  { name: "two lengths", bytes: `${OK}content-length: 3\r\n${TWO}`, reading: "refused", keeps: false },
  {
    name: "two lengths in a list",
    bytes: `${OK}content-length: 2, 3\r\n\r\nab`,
    reading: "refused",
    keeps: false,
  },
  {
    name: "a length below zero",
    bytes: `${OK}content-length: -2\r\n\r\nab`,
    reading: "refused",
    keeps: false,
  },
  {
    name: "a length with a sign",
    bytes: `${OK}content-length: +2\r\n\r\nab`,
    reading: "refused",
    keeps: false,
  },
  { name: "a length in hex", bytes: `${OK}content-length: 0x2\r\n\r\nab`, reading: "refused", keeps: false },
  {
    name: "a length with a fraction",
    bytes: `${OK}content-length: 2.0\r\n\r\nab`,
    reading: "refused",
    keeps: false,
  },
  { name: "an empty length", bytes: `${OK}content-length:\r\n\r\nab`, reading: "refused", keeps: false },
  {
    name: "a blank within a length",
    bytes: `${OK}content-length: 1 2\r\n\r\nab`,
    reading: "refused",
    keeps: false,
  },
  {
    name: "a blank before a length's colon",
    bytes: `${OK}content-length : 2\r\n\r\nab`,
    reading: "refused",
    keeps: false,
  },
  {
    name: "a blank before a length's name",
    bytes: `${OK} content-length: 2\r\n\r\nab`,
    reading: "refused",
    keeps: false,
  },
  {
    name: "a length too large to be one",
    bytes: `${OK}content-length: ${"9".repeat(30)}\r\n\r\nab`,
    reading: "refused",
    keeps: false,
  },
  {
    name: "a length that does not come",
    bytes: `${OK}content-length: 3\r\n\r\nab`,
    reading: "200 cut",
    keeps: false,
  },
  { name: "more than the length", bytes: `${OK}${TWO}c`, reading: "200 ab", keeps: false },
  { name: "nothing but a status", bytes: "HTTP/1.1 200 OK\r\n\r\n", reading: "200 ", keeps: false },
  { name: "neither length nor chunks", bytes: `${OK}x: y\r\n\r\nab`, reading: "200 ab", keeps: false },
  // Codings.
  { name: "chunks", bytes: `${CHUNKED}1\r\na\r\n1\r\nb\r\n0\r\n\r\n`, reading: "200 ab", keeps: true },
  {
    name: "chunks in capitals",
    bytes: `${OK}Transfer-Encoding: CHUNKED\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "a chunk's size in capitals",
    bytes: `${CHUNKED}A\r\n0123456789\r\n0\r\n\r\n`,
    reading: "200 0123456789",
    keeps: true,
  },
  {
    name: "zeros before a chunk's size",
    bytes: `${CHUNKED}000000000000000000002\r\nab\r\n000\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "a chunk's extensions",
    bytes: `${CHUNKED}2;x=y;z="a;b"\r\nab\r\n0;w\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "an extension without a name",
    bytes: `${CHUNKED}2;\r\nab\r\n0\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "blanks behind a chunk's size",
    bytes: `${CHUNKED}2  \r\nab\r\n0\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "line feeds alone between chunks",
    bytes: `${CHUNKED}2\nab\n0\n\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "trailers",
    bytes: `${CHUNKED}2\r\nab\r\n0\r\nx: y\r\nz: w\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "a length among the trailers",
    bytes: `${CHUNKED}2\r\nab\r\n0\r\ncontent-length: 9\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  { name: "a size that is none", bytes: `${CHUNKED}zz\r\nab\r\n0\r\n\r\n`, reading: "200 cut", keeps: false },
  { name: "a size below zero", bytes: `${CHUNKED}-2\r\nab\r\n0\r\n\r\n`, reading: "200 cut", keeps: false },
  {
    name: "a size in the way of C",
    bytes: `${CHUNKED}0x2\r\nab\r\n0\r\n\r\n`,
    reading: "200 cut",
    keeps: false,
  },
  {
    name: "a size beyond all numbers",
    bytes: `${CHUNKED}${"f".repeat(20)}\r\nab\r\n0\r\n\r\n`,
    reading: "200 cut",
    keeps: false,
  },
  { name: "no size", bytes: `${CHUNKED}\r\nab\r\n0\r\n\r\n`, reading: "200 cut", keeps: false },
  {
    name: "no semicolon before an extension",
    bytes: `${CHUNKED}2 x\r\nab\r\n0\r\n\r\n`,
    reading: "200 cut",
    keeps: false,
  },
  {
    name: "a chunk longer than its size",
    bytes: `${CHUNKED}1\r\nab\r\n0\r\n\r\n`,
    reading: "200 cut",
    keeps: false,
  },
  {
    name: "a chunk shorter than its size",
    bytes: `${CHUNKED}3\r\nab\r\n0\r\n\r\n`,
    reading: "200 ab\r",
    keeps: true,
  },
  { name: "chunks without their end", bytes: `${CHUNKED}2\r\nab\r\n`, reading: "200 cut", keeps: false },
  {
    name: "chunks without their last line",
    bytes: `${CHUNKED}2\r\nab\r\n0\r\n`,
    reading: "200 cut",
    keeps: false,
  },
  {
    name: "something behind the last chunk",
    bytes: `${CHUNKED}2\r\nab\r\n0\r\n\r\nx`,
    reading: "200 ab",
    keeps: false,
  },
  {
    name: "a length beside chunks",
    bytes: `${OK}content-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
    reading: "200 ab",
    keeps: false,
  },
  {
    name: "chunks in HTTP/1.0",
    bytes:
      "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
    reading: "200 ab",
    keeps: false,
  },
  {
    name: "identity with a length",
    bytes: `${OK}transfer-encoding: identity\r\n${TWO}`,
    reading: "200 ab",
    keeps: false,
  },
  {
    name: "identity alone",
    bytes: `${OK}transfer-encoding: identity\r\n\r\nab`,
    reading: "200 ab",
    keeps: false,
  },
  {
    name: "identity before chunks",
    bytes: `${OK}transfer-encoding: identity, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "chunks before another coding",
    bytes: `${OK}transfer-encoding: chunked, foo\r\n\r\nab`,
    reading: "200 ab",
    keeps: false,
  },
  {
    name: "a coding like chunks",
    bytes: `${OK}transfer-encoding: chunkedchunked\r\n\r\nab`,
    reading: "200 ab",
    keeps: false,
  },
  {
    name: "chunks in a field of their own",
    bytes: `${OK}transfer-encoding: foo\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "a blank before a coding's colon",
    bytes: `${OK}transfer-encoding : chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
    reading: "refused",
    keeps: false,
  },
  // Answers without a body, and several.
  { name: "204", bytes: "HTTP/1.1 204 X\r\n\r\n", reading: "204 ", keeps: true },
  {
    name: "204 with a length of nothing",
    bytes: "HTTP/1.1 204 X\r\ncontent-length: 0\r\n\r\n",
    reading: "204 ",
    keeps: true,
  },
  { name: "204 with a length", bytes: `HTTP/1.1 204 X\r\n${TWO}`, reading: "204 ", keeps: false },
  {
    name: "204 with chunks",
    bytes: "HTTP/1.1 204 X\r\ntransfer-encoding: chunked\r\n\r\n",
    reading: "204 ",
    keeps: false,
  },
  {
    name: "304 with a length",
    bytes: "HTTP/1.1 304 X\r\ncontent-length: 2\r\n\r\n",
    reading: "304 ",
    keeps: false,
  },
  {
    name: "304 with chunks",
    bytes: "HTTP/1.1 304 X\r\ntransfer-encoding: chunked\r\n\r\n",
    reading: "304 ",
    keeps: false,
  },
  { name: "205 with a body", bytes: `HTTP/1.1 205 X\r\n${TWO}`, reading: "205 ab", keeps: true },
  {
    name: "204 that keeps alive in HTTP/1.0",
    bytes: "HTTP/1.0 204 X\r\nconnection: keep-alive\r\n\r\n",
    reading: "204 ",
    keeps: true,
  },
  {
    name: "204 that closes",
    bytes: "HTTP/1.1 204 X\r\nconnection: close\r\n\r\n",
    reading: "204 ",
    keeps: false,
  },
  {
    name: "something behind one that closes",
    bytes: `${OK}connection: close\r\n${TWO}${OK}${TWO}`,
    reading: "200 ab",
    keeps: false,
  },
  { name: "100 first", bytes: `HTTP/1.1 100 X\r\n\r\n${OK}${TWO}`, reading: "200 ab", keeps: true },
  {
    name: "103 with fields first",
    bytes: `HTTP/1.1 103 X\r\nlink: </>\r\n\r\n${OK}${TWO}`,
    reading: "200 ab",
    keeps: true,
  },
  {
    name: "102 and 103 first",
    bytes: `HTTP/1.1 102 X\r\n\r\nHTTP/1.1 103 X\r\n\r\n${OK}${TWO}`,
    reading: "200 ab",
    keeps: true,
  },
  { name: "100 and nothing", bytes: "HTTP/1.1 100 X\r\n\r\n", reading: "refused", keeps: false },
  {
    name: "a change of protocols",
    bytes: `HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n`,
    reading: "refused",
    keeps: false,
  },
  { name: "two answers", bytes: `${OK}${TWO}${OK}${TWO}`, reading: "200 ab", keeps: false },
];
