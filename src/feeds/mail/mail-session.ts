import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { domainOf, type NamedAddress } from "./mail-address";
import type { MailServer } from "./mail-server";

export type MailSessionOptions = Readonly<{
  /** Time limit of each silence. The caller limits the whole with `giveUp`. */
  timeoutMs: number;
  /** PEM of authorities to trust in place of the usual ones. */
  certificateAuthorities?: string | undefined;
}>;

/** A socket whose session has ended is destroyed after this time. */
const CLOSING_MS = 1_000;
/** Most bytes of one reply. */
const MAX_REPLY_BYTES = 65_536;

/** A session with the mail server, for one message. Its steps reject with a `NodemailerError`. */
export class MailSession {
  private readonly connection: SMTPConnection;
  private readonly broken = Promise.withResolvers<never>();

  constructor(
    private readonly server: MailServer,
    { timeoutMs, certificateAuthorities: ca }: MailSessionOptions,
  ) {
    const { host, port, isSecure, login } = server;
    this.connection = new SMTPConnection({
      host,
      port,
      secure: isSecure,
      // Refuses to log in without TLS: an attacker on the way could remove the server's offer of STARTTLS, and read the password.
      requireTLS: login !== null && !isSecure,
      tls: { ...(ca !== undefined && { ca }) },
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      socketCloseTimeout: CLOSING_MS,
      maxResponseSize: MAX_REPLY_BYTES,
    });
    this.broken.promise.catch(() => {});
    this.connection.on("error", this.broken.reject);
  }

  /** Connects, secures the connection, and logs in. */
  async open(): Promise<void> {
    const { connection, server } = this;
    await this.step<void>((resolve, reject) =>
      connection.connect((error) => (error ? reject(error) : resolve())),
    );
    if (server.login === null) return;
    const auth = { ...server.login };
    await this.step<void>((resolve, reject) =>
      connection.login(auth, (error) => (error ? reject(error) : resolve())),
    );
  }

  /** Sends a message to its recipient. Resolves to the server's reply, which is 2xx. */
  async send(mail: MailMessage): Promise<string> {
    const message = await mailMessage(mail);
    const envelope = { from: mail.from.address, to: mail.to, size: message.length };
    return this.step<string>((resolve, reject) =>
      this.connection.send(envelope, message, (error, sent) =>
        error ? reject(error) : resolve(sent.response),
      ),
    );
  }

  /** Ends the session as the protocol wants it, without waiting. */
  quit(): void {
    this.connection.quit();
    this.connection.close();
  }

  /** Ends the session at once. A step under way rejects. */
  giveUp(): void {
    this.broken.reject(Object.assign(new Error("the time is up"), { code: "ETIMEDOUT" }));
    this.connection.close();
  }

  /** Settles as the step does, or rejects when the session breaks: not every step notices that. */
  private step<T>(begin: (resolve: (result: T) => void, reject: (error: Error) => void) => void): Promise<T> {
    return Promise.race([new Promise<T>(begin), this.broken.promise]);
  }
}

export type MailMessage = Readonly<{
  /** The delivery's public id, the same in all its attempts. */
  id: string;
  from: NamedAddress;
  to: string;
  /** The first line is also the subject. */
  text: string;
  /** Unix milliseconds. */
  at: number;
}>;

/**
 * Writes a message (RFC 5322). Its Message-ID is made of the delivery's id, so that mail servers and programs recognise a
 * repetition.
 */
export function mailMessage({ id, from, to, text, at }: MailMessage): Promise<Buffer> {
  const [subject = ""] = text.split("\n", 1);
  const composer = new MailComposer({
    from,
    to,
    // Mail programs would decode an encoded word (RFC 2047) to characters that the text may not have.
    subject: subject.replaceAll("=?", "= ?"),
    text,
    messageId: `<${id}@${domainOf(from.address)}>`,
    date: new Date(at),
    // Keeps programs from answering that somebody is on holiday (RFC 3834).
    headers: { "auto-submitted": "auto-generated" },
    newline: "win",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
