import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { until } from "../support/faults/until";

/** A message as the server accepted it. */
export type ReceivedMail = Readonly<{
  from: string;
  to: readonly string[];
  head: string;
  body: string;
  isSecure: boolean;
}>;

/** A reply in place of the usual one. */
type Refusal = Readonly<{ at: "RCPT TO" | "MAIL FROM" | "DATA" | "CONNECT"; code: number; words: string }>;

/** A real SMTP server on this machine. It keeps the messages that it accepts, and the passwords that it is given. */
export class MailReceiver {
  readonly accepted: ReceivedMail[] = [];
  /** Recipients named in every session, refused ones too. */
  readonly recipients: string[] = [];
  readonly passwords: string[] = [];
  /** The next refusals, one for each time that their step comes. */
  readonly refusals: Refusal[] = [];
  /** Called with a whole message, in place of an answer. */
  onMessage: ((text: string) => void) | null = null;
  private readonly server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.server = new SMTPServer({
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: options.key ? [] : ["STARTTLS"],
      onConnect: (_, done) => done(this.refusalAt("CONNECT")),
      onAuth: ({ password }, _, done) => {
        this.passwords.push(password ?? "");
        if (password === "right") done(null, { user: "hermod" });
        else done(Object.assign(new Error("5.7.8 no such user on mail.internal"), { responseCode: 535 }));
      },
      onMailFrom: (_, __, done) => done(this.refusalAt("MAIL FROM")),
      onRcptTo: ({ address }, _, done) => {
        this.recipients.push(address);
        done(this.refusalAt("RCPT TO"));
      },
      onData: async (stream, { envelope, secure }, done) => {
        const text = Buffer.concat(await stream.toArray()).toString();
        if (this.onMessage) return this.onMessage(text);
        const refusal = this.refusalAt("DATA");
        if (refusal) return done(refusal);
        const [head = "", ...body] = text.split("\r\n\r\n");
        const from = envelope.mailFrom ? envelope.mailFrom.address : "";
        const to = envelope.rcptTo.map(({ address }) => address);
        this.accepted.push({
          from,
          to,
          head: head.replaceAll(/\r\n[ \t]+/g, " "),
          body: body.join("\r\n\r\n"),
          isSecure: secure,
        });
        done(null, "queued as 1");
      },
      ...options,
    });
    // Clients that refuse its certificate break off.
    this.server.on("error", () => {});
  }

  static async open(options: SMTPServerOptions = {}): Promise<MailReceiver> {
    const receiver = new MailReceiver(options);
    await new Promise<void>((resolve) => receiver.server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** Resolves once it has accepted this many messages. */
  async received(count: number): Promise<void> {
    await until(() => this.accepted.length >= count, { what: `${count} messages` });
  }

  /** Ends every session without a word. */
  hangUp(): void {
    for (const { _socket } of this.server.connections) _socket.destroy();
  }

  async close(): Promise<void> {
    this.hangUp();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private refusalAt(at: Refusal["at"]): Error | null {
    const i = this.refusals.findIndex((each) => each.at === at);
    const [refusal] = i < 0 ? [] : this.refusals.splice(i, 1);
    return refusal ? Object.assign(new Error(refusal.words), { responseCode: refusal.code }) : null;
  }
}
