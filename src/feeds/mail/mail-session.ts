import SMTPConnection from "nodemailer/lib/smtp-connection";
import { type MailMessage, mailMessage } from "./mail-message";
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
