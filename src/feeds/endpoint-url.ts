import type { AddressPolicy } from "../attempt/targets/address";
import { checkTargetUrl, type TargetCheck, type TargetOptions } from "../attempt/targets/target";
import type { MailSettings } from "./mail/mail-sender";
import { checkMailUrl } from "./mail/recipients";

export type EndpointUrlOptions = TargetOptions & { mail: Pick<MailSettings, "recipients"> | null };

/** Checks the URL of an endpoint, of a receiver or of an e-mail, and returns the form that is used. */
export function checkEndpointUrl(
  text: string,
  policy: AddressPolicy,
  options: EndpointUrlOptions,
): TargetCheck {
  const isMail = /^mailto:/i.test(text);
  return isMail
    ? checkMailUrl(text, options.mail?.recipients ?? null)
    : checkTargetUrl(text, policy, options);
}
