import type { NodemailerError } from "nodemailer/lib/errors";
import type { Clock } from "../../runtime/clock";
import type { Log } from "../../runtime/log";
import { Outage } from "../../runtime/outage";
import { Deadline, SharedTimers } from "../deadline";
import type { ERROR_DETAILS, ErrorDetail } from "../error-detail";
import { type Exchange, type ExchangeError, ExchangeTrace, type SendResult } from "../exchange";
import type { Outgoing } from "../exchanger";
import { failureOf } from "../failure";
import type { NamedAddress } from "./mail-address";
import type { MailServer } from "./mail-server";
import type { MailSession } from "./mail-session";
import { type Recipients, recipientIn } from "./recipients";

/** The operator's settings for e-mail. */
export type MailSettings = Readonly<{ server: MailServer; from: NamedAddress; recipients: Recipients }>;

export type MailExchangerOptions = Readonly<{
  /** Null: no e-mail can be sent. */
  settings: MailSettings | null;
  /** Deadline of requests that set none, from the look-up of the server to its last reply. */
  timeoutMs: number;
  /** Bytes of a reply that are kept. */
  responseBodyBytes: number;
  clock: Clock;
  log: Log;
  /** PEM of authorities to trust in place of the usual ones. */
  certificateAuthorities?: string;
}>;

/** The parts of an exchange that depend on the mail server. */
type Answer = Pick<
  Exchange,
  "acknowledged" | "status" | "error" | "errorDetail" | "responseBody" | "instruction"
>;

type MailFault = (typeof ERROR_DETAILS.mail_server)[number];

/** Hands messages to the operator's mail server, each in a session of its own. The server's reply becomes the answer. */
export class MailExchanger {
  private readonly deadlines: SharedTimers;
  private readonly outage: Outage;

  constructor(private readonly options: MailExchangerOptions) {
    this.deadlines = new SharedTimers(options.clock);
    this.outage = new Outage(options.log, {
      begun: "could not send an e-mail; it is retried: check HERMOD_SMTP_URL with bun start doctor",
      over: "e-mails are sent again",
    });
  }

  /** Sends the message of a request. Never rejects. */
  async exchange(request: Outgoing): Promise<SendResult> {
    const { clock } = this.options;
    const [startedAt, began] = [clock.now(), clock.monotonic()];
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const deadline = new Deadline();
    this.deadlines.set(deadline, began, timeoutMs);
    const answer = await this.answerTo(request, deadline, timeoutMs);
    this.deadlines.clear(deadline, timeoutMs);
    if (answer === null) return { kind: "unsent" };
    const exchange: Exchange = {
      ...answer,
      location: null,
      startedAt,
      durationMs: Math.round(clock.monotonic() - began),
      responseHeaders: null,
      // Accounts see attempts, and the mail server is the operator's.
      address: null,
      timing: new ExchangeTrace(clock).timing,
      request: null,
      retryAfterMs: null,
    };
    return { kind: "exchanged", exchange };
  }

  /** Returns null if the guard said no. */
  private async answerTo(request: Outgoing, deadline: Deadline, timeoutMs: number): Promise<Answer | null> {
    const { settings, certificateAuthorities } = this.options;
    if (settings === null) return failed("mail_server", "mail_server_not_set");
    const to = recipientIn(request.url);
    // Judged at every attempt, since the list may be shorter than at the endpoint's creation.
    if (!settings.recipients.permits(to)) return failed("blocked_address", "recipient_not_permitted");
    // Loaded here, since most processes send no e-mail: nodemailer takes 19 MB.
    const { MailSession } = await import("./mail-session");
    const session = new MailSession(settings.server, { timeoutMs, certificateAuthorities });
    deadline.onPassed(() => session.giveUp());
    try {
      const reply = await this.send(session, settings.from, to, request);
      session.quit();
      this.outage.worked();
      return reply === null ? null : this.answered(reply);
    } catch (error) {
      session.giveUp();
      return this.answerIn(error as NodemailerError);
    }
  }

  private async send(session: MailSession, from: NamedAddress, to: string, request: Outgoing) {
    await session.open();
    if (!request.guard.tryStart()) return null;
    const { "webhook-id": id = "" } = request.headers(request.body);
    const at = this.options.clock.now();
    return session.send({ id, from, to, text: request.body, at });
  }

  /** A reply about the recipient or the message is an answer. Everything else is a fault of our own server. */
  private answerIn(error: NodemailerError): Answer {
    const { command, response } = error;
    if ((command === "RCPT TO" || command === "DATA") && response) {
      this.outage.worked();
      return this.answered(response);
    }
    this.outage.failed(error);
    return failed("mail_server", faultIn(error));
  }

  /** A 5xx is final: the server would refuse the same message again (RFC 5321, 4.2.1). */
  private answered(reply: string): Answer {
    const status = Number(reply.slice(0, 3));
    return {
      acknowledged: status < 400,
      status,
      error: null,
      errorDetail: null,
      responseBody: beginningOf(reply, this.options.responseBodyBytes),
      instruction: status >= 500 ? "abort-message" : null,
    };
  }
}

function failed(error: ExchangeError, errorDetail: ErrorDetail): Answer {
  return { acknowledged: false, status: 0, error, errorDetail, responseBody: null, instruction: null };
}

/** Faults of the mail server by nodemailer's codes. */
const BY_CODE: ReadonlyMap<string | undefined, MailFault> = new Map([
  ["EDNS", "mail_server_unreachable"],
  ["ESOCKET", "mail_server_unreachable"],
  ["ETIMEDOUT", "mail_server_timeout"],
  ["ECONNECTION", "mail_server_closed"],
  ["ETLS", "mail_server_tls"],
  ["EAUTH", "mail_server_credentials"],
]);

function faultIn({ code, originalCode }: NodemailerError): MailFault {
  const { error } = failureOf({ code: originalCode });
  if (error === "tls") return "mail_server_tls";
  if (error === "connection_reset") return "mail_server_closed";
  return BY_CODE.get(code) ?? "mail_server_refused";
}

/** Returns the first bytes of a text, without NUL, which Postgres can't store. */
function beginningOf(text: string, bytes: number): string {
  return Buffer.from(text).subarray(0, bytes).toString().replaceAll("\0", "");
}
