import { afterEach, describe, expect, test } from "bun:test";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { emailMessage } from "../../src/feeds/chat-message";
import { parseNamedAddress } from "../../src/feeds/mail/mail-address";
import { MAIL_SESSIONS, MailSender, type MailSenderOptions } from "../../src/feeds/mail/mail-sender";
import { parseMailServer } from "../../src/feeds/mail/mail-server";
import { mailMessage } from "../../src/feeds/mail/mail-session";
import { checkMailUrl, Recipients } from "../../src/feeds/mail/recipients";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { exchangeOf, PATIENT_MS, to } from "../attempt/sending";
import { AUTHORITY, CERTIFICATE, KEY } from "../db/certificates";
import { until } from "../support/faults/until";
import { MailReceiver } from "./mail-receiver";

const TLS = { key: KEY, cert: CERTIFICATE };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function opened<T extends { close(): unknown }>(each: T): T {
  open.push(each);
  return each;
}

type Options = Partial<Omit<MailSenderOptions, "settings">> & { recipients?: string };

const log = createLog("silent");
const COMMON = { timeoutMs: PATIENT_MS, responseBodyBytes: 1_024, clock: systemClock, log };

/** A sender of e-mails through the server at this URL. */
function senderBy(url: string, { recipients = "*", ...options }: Options = {}): MailSender {
  const settings = {
    server: parseMailServer(url),
    from: parseNamedAddress("Hermod <alerts@hermod.example>"),
    recipients: Recipients.parse(recipients),
  };
  return new MailSender({ settings, ...COMMON, ...options });
}

/** A request for an e-mail. */
function mail(body = "A title\n\nfact: 1\n", address = "ops@example.com") {
  const headers = () => ({ "webhook-id": "wh_1", "webhook-signature": "v1,not-for-mail" });
  return { ...to(`mailto:${address}`), headers, body };
}

/** A server that treats every connection like this. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onConnection(socket);
  });
  opened({
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that gives these replies to RCPT TO and to the message, and good ones to the rest. */
function replying({ recipient = "250 ok", message = "250 ok" }) {
  return rawServer((socket) => {
    let [isMessage, rest] = [false, ""];
    const replyTo = (line: string): string | null => {
      if (isMessage) {
        isMessage = line !== ".";
        return isMessage ? null : message;
      }
      isMessage = line === "DATA";
      if (isMessage) return "354 go on";
      return line.startsWith("RCPT") ? recipient : "250 ok";
    };
    socket.write("220 hello\r\n");
    socket.on("data", (data) => {
      const lines = (rest + data.toString()).split("\r\n");
      rest = lines.pop() ?? "";
      for (const reply of lines.map(replyTo)) if (reply !== null) socket.write(`${reply}\r\n`);
    });
  });
}

/** Greets, and answers with a reply that goes on for ever, so that the connection is never silent. */
function neverEnding(socket: Socket): void {
  socket.write("220 hello\r\n");
  const timer = setInterval(() => socket.write("250-more\r\n"), 20);
  socket.on("close", () => clearInterval(timer));
}

const FAULT = {
  acknowledged: false,
  status: 0,
  error: "mail_server",
  responseBody: null,
  instruction: null,
  address: null,
};

test("an accepted message is acknowledged, with the server's words", async () => {
  const server = opened(await MailReceiver.open());
  const sender = senderBy(`smtp://127.0.0.1:${server.port}`);
  expect(await exchangeOf(sender, mail("Zwölf\n\nfact: Ü\n.\nend\n"))).toMatchObject({
    acknowledged: true,
    status: 250,
    error: null,
    responseBody: "250 queued as 1",
    address: null,
    request: null,
  });
  expect(server.accepted).toMatchObject([{ from: "alerts@hermod.example", to: ["ops@example.com"] }]);
  const { head = "", body } = server.accepted[0] ?? {};
  expect(head.split("\r\n").toSorted()).toEqual([
    "Auto-Submitted: auto-generated",
    "Content-Transfer-Encoding: quoted-printable",
    "Content-Type: text/plain; charset=utf-8",
    expect.stringMatching(/^Date: /),
    "From: Hermod <alerts@hermod.example>",
    "MIME-Version: 1.0",
    "Message-ID: <wh_1@hermod.example>",
    "Subject: =?UTF-8?Q?Zw=C3=B6lf?=",
    "To: ops@example.com",
  ]);
  expect(body).toBe("Zw=C3=B6lf\r\n\r\nfact: =C3=9C\r\n.\r\nend\r\n");
});

describe("a refusal", () => {
  test.each([
    ["RCPT TO", 450, null],
    ["RCPT TO", 550, "abort-message"],
    ["DATA", 451, null],
    ["DATA", 554, "abort-message"],
  ] as const)("to %s with %d is an answer, and final if it is a 5xx", async (at, code, instruction) => {
    const server = opened(await MailReceiver.open());
    server.refusals.push({ at, code, words: "not now" });
    const sender = senderBy(`smtp://127.0.0.1:${server.port}`);
    expect(await exchangeOf(sender, mail())).toMatchObject({
      acknowledged: false,
      status: code,
      error: null,
      responseBody: `${code} not now`,
      instruction,
    });
    expect(await exchangeOf(sender, mail())).toMatchObject({ status: 250 });
    expect(server.accepted).toHaveLength(1);
  });

  test.each([
    { recipient: "354 go on" },
    { recipient: "150 wait" },
    { recipient: "what?" },
    { recipient: "421 closing" },
    { message: "354 more" },
    { message: "2ok" },
    { message: "421 closing" },
  ])("is no other reply: %j", async (replies) => {
    const exchange = await exchangeOf(senderBy(await replying(replies)), mail());
    expect(exchange).toMatchObject({ ...FAULT, errorDetail: expect.stringMatching(/^mail_server_/) });
  });

  test("by policy is not final, since an operator's mistake looks the same", async () => {
    const denied = "554 5.7.1 Relay access denied";
    expect(await exchangeOf(senderBy(await replying({ recipient: denied })), mail())).toMatchObject({
      acknowledged: false,
      status: 554,
      responseBody: denied,
      instruction: null,
    });
  });

  test.each([
    ["CONNECT", 421],
    ["CONNECT", 554],
    ["MAIL FROM", 451],
    ["MAIL FROM", 550],
  ] as const)("to %s with %d is a fault of the mail server, and shows nothing of it", async (at, code) => {
    const server = opened(await MailReceiver.open());
    server.refusals.push({ at, code, words: "mail.internal says no" });
    const exchange = await exchangeOf(senderBy(`smtp://127.0.0.1:${server.port}`), mail());
    expect(exchange).toMatchObject({ ...FAULT, errorDetail: "mail_server_refused" });
  });

  test("is kept without NUL, and cut at HERMOD_RESPONSE_BODY", async () => {
    const replies = ["250 hello\r\n", "250 ok\r\n", `550 no\0${"x".repeat(400)}\r\n`];
    const url = await rawServer((socket) => {
      socket.write("220 hello\r\n");
      socket.on("data", () => socket.write(replies.shift() ?? ""));
    });
    const exchange = await exchangeOf(senderBy(url, { responseBodyBytes: 100 }), mail());
    expect(exchange).toMatchObject({ status: 550, responseBody: `550 no${"x".repeat(93)}` });
  });
});

describe("a mail server with a password", () => {
  const url = (scheme: string, { port }: MailReceiver, password = "right") =>
    `${scheme}://hermod:${password}@localhost:${port}`;
  const trusting = { certificateAuthorities: AUTHORITY };

  test("gets it over TLS from the first byte, or by STARTTLS", async () => {
    const [direct, upgrading] = [
      opened(await MailReceiver.open({ ...TLS, secure: true })),
      opened(await MailReceiver.open(TLS)),
    ];
    expect(await exchangeOf(senderBy(url("smtps", direct), trusting), mail())).toMatchObject({ status: 250 });
    expect(await exchangeOf(senderBy(url("smtp", upgrading), trusting), mail())).toMatchObject({
      status: 250,
    });
    for (const server of [direct, upgrading]) {
      expect(server.passwords).toEqual(["right"]);
      expect(server.accepted).toMatchObject([{ isSecure: true }]);
    }
  });

  test("that refuses it is at fault, and its words stay with the operator", async () => {
    const server = opened(await MailReceiver.open(TLS));
    const exchange = await exchangeOf(senderBy(url("smtp", server, "wrong"), trusting), mail());
    expect(exchange).toMatchObject({ ...FAULT, errorDetail: "mail_server_credentials" });
  });

  test("never gets it without TLS, or with a certificate that is not trusted", async () => {
    const plain = opened(await MailReceiver.open());
    const untrusted = opened(await MailReceiver.open(TLS));
    const untrustedDirect = opened(await MailReceiver.open({ ...TLS, secure: true }));
    for (const [scheme, server] of [
      ["smtp", plain],
      ["smtp", untrusted],
      ["smtps", untrustedDirect],
    ] as const) {
      const exchange = await exchangeOf(senderBy(url(scheme, server)), mail());
      expect(exchange).toMatchObject({ ...FAULT, errorDetail: "mail_server_tls" });
      expect(server.passwords).toEqual([]);
    }
  });
});

describe("a broken mail server", () => {
  test.each([
    ["nothing", () => {}],
    ["a greeting alone", (socket: Socket) => socket.write("220 hello\r\n")],
    ["no end of a greeting", (socket: Socket) => socket.write("220-hello\r\n")],
    ["ever more of a reply", (socket: Socket) => neverEnding(socket)],
  ])("that says %s costs an attempt its deadline", async (_, onConnection) => {
    const url = await rawServer(onConnection);
    const exchange = await exchangeOf(senderBy(url), { ...mail(), timeoutMs: 1_000 });
    expect(exchange).toMatchObject({ ...FAULT, errorDetail: "mail_server_timeout" });
    expect(exchange.durationMs).toBeGreaterThanOrEqual(999);
  });

  test.each([
    ["at once", (socket: Socket) => void socket.destroy()],
    ["after its greeting", (socket: Socket) => void socket.end("220 hello\r\n")],
  ])("that hangs up %s is noticed", async (_, onConnection) => {
    const url = await rawServer(onConnection);
    expect(await exchangeOf(senderBy(url), mail())).toMatchObject({
      ...FAULT,
      errorDetail: "mail_server_closed",
    });
  });

  test("that hangs up or hangs after the message is at fault; the next attempt has the same Message-ID", async () => {
    const server = opened(await MailReceiver.open());
    const sender = senderBy(`smtp://127.0.0.1:${server.port}`);
    const ids: (string | undefined)[] = [];
    const noteId = (text: string) => void ids.push(/^Message-ID: (.+?)\r$/m.exec(text)?.[1]);
    server.onMessage = (text) => {
      noteId(text);
      server.hangUp();
    };
    expect(await exchangeOf(sender, mail())).toMatchObject({ ...FAULT, errorDetail: "mail_server_closed" });
    server.onMessage = noteId;
    const hanging = { ...mail(), timeoutMs: 1_000 };
    expect(await exchangeOf(sender, hanging)).toMatchObject({ ...FAULT, errorDetail: "mail_server_timeout" });
    expect(ids).toEqual(["<wh_1@hermod.example>", "<wh_1@hermod.example>"]);
  });

  test("that is not there, or speaks no SMTP, is at fault", async () => {
    const gone = await MailReceiver.open();
    const { port } = gone;
    await gone.close();
    expect(await exchangeOf(senderBy(`smtp://127.0.0.1:${port}`), mail())).toMatchObject({
      ...FAULT,
      errorDetail: "mail_server_unreachable",
    });
    const http = await rawServer((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await exchangeOf(senderBy(http), mail())).toMatchObject({
      ...FAULT,
      errorDetail: "mail_server_refused",
    });
  });

  test("has few sessions, and no payload is in memory before its session", async () => {
    let connections = 0;
    const full = Promise.withResolvers<void>();
    const url = await rawServer(() => ++connections === MAIL_SESSIONS && full.resolve());
    const sender = senderBy(url);
    const accounts = Array.from({ length: 2 * MAIL_SESSIONS }, (_, i) => `account ${i}`);
    let reads = 0;
    const read = async () => {
      reads++;
      return "A title\n";
    };
    const body = { bytes: 1_048_576, read };
    for (const account of accounts)
      void sender.send({ ...mail(), body, owner: { account, endpoint: account, isFailing: false } });
    await full.promise;
    await until(() => sender.queued === MAIL_SESSIONS, { what: "e-mails that wait for a session" });
    expect({ inFlight: sender.inFlight, queued: sender.queued }).toEqual({
      inFlight: MAIL_SESSIONS,
      queued: MAIL_SESSIONS,
    });
    expect([connections, reads]).toEqual([MAIL_SESSIONS, MAIL_SESSIONS]);
  });
});

test("an e-mail that the guard no longer wants is not sent", async () => {
  const server = opened(await MailReceiver.open());
  const guard = { stillWanted: () => true, tryStart: () => false };
  expect(await senderBy(`smtp://127.0.0.1:${server.port}`).send({ ...mail(), guard })).toEqual({
    kind: "unsent",
  });
  expect(server.recipients).toEqual([]);
});

test("a recipient that is no longer permitted gets nothing, and without a mail server nobody does", async () => {
  const server = opened(await MailReceiver.open());
  const sender = senderBy(`smtp://127.0.0.1:${server.port}`, { recipients: "dev@example.com, @example.org" });
  const refused = { status: 0, error: "blocked_address", errorDetail: "recipient_not_permitted" };
  expect(await exchangeOf(sender, mail("x"))).toMatchObject(refused);
  expect(await exchangeOf(sender, mail("x", "Dev@example.com"))).toMatchObject({ status: 250 });
  expect(await exchangeOf(new MailSender({ settings: null, ...COMMON }), mail())).toMatchObject({
    ...FAULT,
    errorDetail: "mail_server_not_set",
  });
  expect(server.recipients).toEqual(["Dev@example.com"]);
});

describe("a mailto: URL", () => {
  const check = (url: string, list = "*") => checkMailUrl(url, Recipients.parse(list));

  test.each([
    ["mailto:ops@example.com", "mailto:ops@example.com"],
    ["MAILTO:First.Last+tag@Example.COM", "mailto:First.Last+tag@example.com"],
    ["mailto:o'neil_x=y~z-1@a-b.example", "mailto:o'neil_x=y~z-1@a-b.example"],
    ["mailto:root@localhost", "mailto:root@localhost"],
  ])("%s has one plain address", (text, url) => {
    expect(check(text)).toEqual({ ok: true, url });
  });

  test.each([
    "mailto:",
    "mailto:ops",
    "mailto:@example.com",
    "mailto:ops@",
    "mailto://ops@example.com",
    "mailto:ops@example.com?subject=hello",
    "mailto:ops@example.com?bcc=all@example.com",
    "mailto:ops@example.com,dev@example.com",
    "mailto:ops@example.com;dev@example.com",
    "mailto:ops%0d%0aBcc:all@example.com",
    "mailto:ops@example.com\r\nRCPT TO:<all@example.com>",
    "mailto:ops@example.com\n",
    "mailto:Ops <ops@example.com>",
    "mailto:<ops@example.com>",
    'mailto:"ops"@example.com',
    "mailto:a@b@example.com",
    "mailto:victim%other.example@example.com",
    "mailto:other.example!victim@example.com",
    "mailto:.ops@example.com",
    "mailto:o..ps@example.com",
    "mailto:ops@[127.0.0.1]",
    "mailto:ops@-a.example",
    "mailto:ops@example..com",
    "mailto:öps@example.com",
    "mailto:ops@exämple.com",
    `mailto:${"x".repeat(65)}@example.com`,
    `mailto:ops@${"x".repeat(64)}.example`,
  ])("%j has not", (text) => {
    expect(check(text)).toEqual({
      ok: false,
      reason: "url must be mailto: and one plain address, such as mailto:ops@example.com",
    });
  });

  test("has a recipient of the list", () => {
    const permits = (list: string, address: string) => check(`mailto:${address}`, list).ok;
    expect(permits("ops@example.com", "OPS@example.com")).toBe(true);
    expect(permits("ops@example.com", "dev@example.com")).toBe(false);
    expect(permits("@Example.com", "dev@example.com")).toBe(true);
    expect(permits("@example.com", "dev@sub.example.com")).toBe(false);
    expect(permits("@example.com", "dev@notexample.com")).toBe(false);
    expect(permits("a@b.example, *", "dev@example.com")).toBe(true);
    expect(checkMailUrl("mailto:dev@example.com", null)).toMatchObject({ ok: false });
  });
});

test("no event and no payload adds a header or a line to a header", async () => {
  const from = parseNamedAddress("alerts@hermod.example");
  const names = [
    "Auto-Submitted",
    "From",
    "To",
    "Subject",
    "Message-ID",
    "Content-Transfer-Encoding",
    "Date",
  ];
  const known = [...names, "MIME-Version", "Content-Type"].toSorted();
  const breaking = fc.constantFrom(
    "\r\nBcc: all@example.com",
    "\n\n",
    "\r",
    "\u2028",
    "\0",
    "\u0085",
    "é\r\n.\r\n",
    "=?utf-8?Q?=0D=0ABcc:_all=40example.com?=",
  );
  const text = fc.array(fc.oneof(fc.string({ unit: "binary" }), breaking)).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, text, async (event, url) => {
      const body = emailMessage(event, JSON.stringify({ url, [event]: url }));
      const bytes = await mailMessage({ id: "wh_1", from, to: "ops@example.com", text: body, at: 0 });
      const [head = ""] = bytes.toString("latin1").split("\r\n\r\n", 1);
      const fields = head.replaceAll(/\r\n[ \t]/g, " ").split("\r\n");
      expect(fields.map((field) => field.split(":")[0]).toSorted()).toEqual(known);
      expect(fields.every((field) => /^[\x20-\x7e]*$/.test(field))).toBe(true);
      // Encoded words are nodemailer's own alone.
      expect(fields.join("\n").replaceAll(/=\?UTF-8\?[QB]\?[^?\s]*\?=/g, "")).not.toContain("=?");
    }),
  );
});
