import MailComposer from "nodemailer/lib/mail-composer";
import { domainOf, type NamedAddress } from "./mail-address";

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
