import type { NodemailerError } from "nodemailer/lib/errors";
import { Admission, type Claimant } from "../../attempt/admission";
import { Deadline, SharedTimers } from "../../attempt/deadline";
import type { ERROR_DETAILS, ErrorDetail } from "../../attempt/error-detail";
import {
  type Exchange,
  type ExchangeError,
  type ExchangeResult,
  ExchangeTrace,
  type SendRequest,
} from "../../attempt/exchange";
import { failureOf, OwnFailure, orOwnFailureToConnect } from "../../attempt/failure";
import type { Clock } from "../../runtime/clock";
import type { Log } from "../../runtime/log";
import { Outage } from "../../runtime/outage";
import type { NamedAddress } from "./mail-address";
import type { MailServer } from "./mail-server";
import type { MailSession } from "./mail-session";
import { type Recipients, recipientIn } from "./recipients";

/** The operator's settings for e-mail. */
export type MailSettings = Readonly<{ server: MailServer; from: NamedAddress; recipients: Recipients }>;

export type MailSenderOptions = Readonly<{
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
type MailAnswer = Pick<
  Exchange,
  "acknowledged" | "status" | "error" | "errorDetail" | "responseBody" | "instruction"
>;

type NotExchanged = Exclude<ExchangeResult, { kind: "exchanged" }>;

type MailFault = (typeof ERROR_DETAILS.mail_server)[number];

/** Most sessions with the mail server at a time. */
export const MAIL_SESSIONS = 8;

const UNSENT = { kind: "unsent" } as const satisfies ExchangeResult;

/** Hands messages to the operator's mail server, each in a session of its own. The server's reply becomes the answer. */
export class MailSender {
  private readonly sessions = new Admission(MAIL_SESSIONS);
  private readonly deadlines: SharedTimers;
  private readonly outage: Outage;

  constructor(private readonly options: MailSenderOptions) {
    this.deadlines = new SharedTimers(options.clock);
    this.outage = new Outage(options.log, {
      begun: "could not send an e-mail; it is retried: check HERMOD_SMTP_URL with bun start doctor",
      over: "e-mails are sent again",
    });
  }

  /** Number of sessions under way. */
  get inFlight(): number {
    return this.sessions.occupied;
  }

  /** Number of messages that wait for a session. */
  get queued(): number {
    return this.sessions.queued;
  }

  /** Sends the message of a request once there is a session. Never rejects. */
  async send(request: SendRequest): Promise<ExchangeResult> {
    // All e-mails share one server, so no endpoint is slower than another.
    const claimant: Claimant = { account: request.owner.account, speed: "prompt" };
    if (!(await this.sessions.enter(claimant, () => request.guard.stillWanted()))) return UNSENT;
    try {
      // Only now, so that no more payloads are in memory than there are sessions.
      const body = typeof request.body === "string" ? request.body : await request.body.read();
      return body === null ? UNSENT : await this.exchange({ ...request, body });
    } finally {
      this.sessions.leave(claimant);
    }
  }

  /** Drops waiting messages whose guard says no. */
  dropUnwanted(): void {
    this.sessions.dropUnwanted();
  }

  private async exchange(request: SendRequest<string>): Promise<ExchangeResult> {
    const trace = new ExchangeTrace(this.options.clock);
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    const deadline = new Deadline();
    this.deadlines.set(deadline, trace.began, timeoutMs);
    const answer = await this.answerTo(request, deadline, timeoutMs);
    this.deadlines.clear(deadline, timeoutMs);
    if ("kind" in answer) return answer;
    const exchange: Exchange = {
      ...answer,
      location: null,
      startedAt: trace.startedAt,
      durationMs: trace.durationMs,
      responseHeaders: null,
      // Accounts see attempts, and the mail server is the operator's.
      address: null,
      timing: trace.timing,
      request: null,
      retryAfterMs: null,
    };
    return { kind: "exchanged", exchange };
  }

  private async answerTo(
    request: SendRequest<string>,
    deadline: Deadline,
    timeoutMs: number,
  ): Promise<MailAnswer | NotExchanged> {
    const { settings, certificateAuthorities } = this.options;
    if (settings === null) return failed("mail_server", "mail_server_not_set");
    const to = recipientIn(request.url);
    // Judged at every attempt, since the list may be shorter than at the endpoint's creation.
    if (!settings.recipients.permits(to)) return failed("blocked_address", "recipient_not_permitted");
    let begun: MailSession | null = null;
    try {
      // Loaded here, since most processes send no e-mail: nodemailer takes 19 MB.
      const { MailSession } = await import("./mail-session");
      const session = new MailSession(settings.server, { timeoutMs, certificateAuthorities });
      begun = session;
      deadline.onPassed(() => session.giveUp());
      const reply = await this.submit(session, settings.from, to, request);
      session.quit();
      this.outage.worked();
      return reply === null ? UNSENT : this.answered(reply);
    } catch (error) {
      begun?.giveUp();
      return this.answerIn(error as NodemailerError, request);
    }
  }

  private async submit(session: MailSession, from: NamedAddress, to: string, request: SendRequest<string>) {
    await session.open();
    if (!request.guard.tryStart()) return null;
    const { "webhook-id": id = "" } = request.headers(request.body);
    const at = this.options.clock.now();
    const reply = await session.send({ id, from, to, text: request.body, at });
    if (!ACCEPTED.test(reply)) throw new Error(`no reply of SMTP to the message: ${reply}`);
    return reply;
  }

  /** A refusal of the recipient or the message is an answer. Everything else is a fault of this machine or of our own server. */
  private answerIn(error: NodemailerError, request: SendRequest<string>): MailAnswer | NotExchanged {
    const { command, response, originalCode, code } = error;
    if ((command === "RCPT TO" || command === "DATA") && response && REFUSED.test(response)) {
      this.outage.worked();
      return this.answered(response);
    }
    const known = response ? null : orOwnFailureToConnect({ code: originalCode ?? code });
    if (known instanceof OwnFailure) return { kind: "own_failure", shortage: known.shortage };
    // An endpoint's own time limit may be too short for any server.
    if (request.timeoutMs === null || code !== "ETIMEDOUT") this.outage.failed(error);
    return failed("mail_server", faultIn(error));
  }

  /**
   * A 5xx is final: the server would refuse the same message again (RFC 5321, 4.2.1). A refusal by policy (RFC 3463, 3.8) is not:
   * servers also answer an operator's mistake with it, such as a sender that they don't relay for.
   */
  private answered(reply: string): MailAnswer {
    const status = Number(reply.slice(0, 3));
    return {
      acknowledged: ACCEPTED.test(reply),
      status,
      error: null,
      errorDetail: null,
      responseBody: beginningOf(reply, this.options.responseBodyBytes),
      instruction: status >= 500 && !BY_POLICY.test(reply) ? "abort-message" : null,
    };
  }
}

const ACCEPTED = /^2\d\d/;
/** With a 421 the server says that it closes (RFC 5321, 3.8), and nothing of the message. */
const REFUSED = /^(?!421)[45]\d\d/;
const BY_POLICY = /^5\d\d[ -]5\.7\./;

function failed(error: ExchangeError, errorDetail: ErrorDetail): MailAnswer {
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
  // As a stream, which leaves out a character that the limit cuts in two.
  const beginning = new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
  return beginning.replaceAll("\0", "");
}
