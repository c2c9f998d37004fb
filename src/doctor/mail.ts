import { describeError } from "../runtime/log";
import type { Config } from "../service/config";
import { type Finding, findingsOf } from "./finding";

const ANSWER_MS = 5_000;

/** Connects to the mail server of HERMOD_SMTP_URL and logs in, without sending an e-mail. */
export async function checkMail({ mail }: Pick<Config, "mail">): Promise<readonly Finding[]> {
  if (mail === null) return [];
  const found = findingsOf("mail");
  const { host, port, login } = mail.server;
  const { MailSession } = await import("../feeds/mail/mail-session");
  const session = new MailSession(mail.server, { timeoutMs: ANSWER_MS });
  try {
    await session.open();
    session.quit();
    found.ok(`${host}:${port} answers${login === null ? "" : ", and accepts the user and the password"}`);
  } catch (error) {
    session.giveUp();
    // A warning, since it stops e-mails alone.
    found.warning(`${host}:${port} can't be used: ${describeError(error).error}. Check HERMOD_SMTP_URL.`);
  }
  return found.all;
}
