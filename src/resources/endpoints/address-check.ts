import { type Static, Type } from "@sinclair/typebox";
import type { Call } from "../../api/call";
import type { CheckUrl } from "../../api/dependencies";
import type { FailureLimit } from "../../api/edge/failure-limit";
import { tooManyRequests, unavailable } from "../../api/errors";
import { named, nullable, request, text, words } from "../../api/openapi/schema";
import type { Posting } from "../../api/posting";
import { OwnFailure, type TargetErrorCode } from "../../attempt/failure";
import type { AddressProblem, CheckAddress } from "../../attempt/targets/address-check";
import { MAX_URL_LENGTH } from "../../attempt/targets/target";
import type { AccountId } from "../../domain/ids";

/** Most checks a minute that may find a problem, of an account in a process. Otherwise an account could search a network's names. */
export const FOUND_PROBLEMS_PER_MINUTE = 120;

export const CheckedAddress = request(
  "CheckedAddress",
  Type.Object({
    url: text({ minLength: 1, maxLength: MAX_URL_LENGTH, description: "An http or https URL." }),
  }),
);

const ERRORS = [
  "invalid_url",
  "https_required",
  "blocked_address",
  "dns",
] as const satisfies readonly TargetErrorCode[];

export const AddressVerdict = named(
  "AddressVerdict",
  Type.Object({
    url: nullable(
      Type.String({ description: "The form in which it would be stored; null if it would be refused." }),
    ),
    error: nullable(
      words("AddressError", ERRORS, {
        description:
          "Null if an attempt could connect. `invalid_url`: an endpoint with it would be refused. The others are the `error` that " +
          "each attempt would get now.",
      }),
    ),
    message: nullable(Type.String({ description: "The problem, in words." })),
  }),
);

export const VERDICT_EXAMPLE = {
  url: "https://hooks.example.com/orders",
  error: "dns",
  message: "the host of url has no address",
} satisfies Static<typeof AddressVerdict>;

export type AddressChecking = {
  posting: Posting;
  checkUrl: CheckUrl;
  checkAddress: CheckAddress;
  addressProblems: FailureLimit;
};

/** Checks a URL before an endpoint has it: its form, and its address now. */
export function checkUrlOf(
  options: AddressChecking,
  call: Call,
  request: Request,
  { url }: Static<typeof CheckedAddress>,
): Promise<Response> {
  const { accountId } = call.principal;
  return options.posting.handleApart(call, request, async () => {
    const waitSeconds = options.addressProblems.waitOf(accountId);
    if (waitSeconds !== null)
      throw tooManyRequests(
        `Too many URLs with a problem were checked; try again in ${waitSeconds} s`,
        waitSeconds,
      );
    const verdict = await verdictOf(options, accountId, url);
    if (verdict.error !== null) options.addressProblems.count(accountId);
    return { status: 200, json: JSON.stringify(verdict) };
  });
}

async function verdictOf(
  { checkUrl, checkAddress }: AddressChecking,
  accountId: AccountId,
  text: string,
): Promise<Static<typeof AddressVerdict>> {
  const target = checkUrl(text);
  if (!target.ok) return { url: null, error: "invalid_url", message: target.reason };
  const { url } = target;
  // An e-mail's address has no host to look up.
  const problem = url.startsWith("mailto:") ? null : await problemOf(checkAddress, accountId, url);
  return { url, error: problem?.error ?? null, message: problem && MESSAGES[problem.error] };
}

async function problemOf(
  check: CheckAddress,
  account: AccountId,
  url: string,
): Promise<AddressProblem | null> {
  try {
    return await check(account, url);
  } catch (error) {
    if (error instanceof OwnFailure) throw unavailable();
    throw error;
  }
}

const MESSAGES: Readonly<Record<TargetErrorCode, string>> = {
  invalid_url: "url is not a valid URL",
  https_required: "url must begin with https://",
  blocked_address: "url must not point to a private or reserved address, or to this machine",
  dns: "the host of url has no address",
};
