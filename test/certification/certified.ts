import { Exchanger } from "../../src/attempt/exchanger";
import { createAddressPolicy } from "../../src/attempt/targets/address";
import { TargetResolver } from "../../src/attempt/targets/resolver";
import type { Lookup } from "../../src/attempt/targets/system-lookup";
import { type CheckResult, judgeReceiver } from "../../src/certification/report";
import { runTrials } from "../../src/certification/trial-run";
import { verify } from "../../src/client/verify";
import { type EndpointView, PLAIN } from "../../src/dispatch/endpoint";
import type { AccountId, EndpointId } from "../../src/domain/ids";
import { newId } from "../../src/domain/ids";
import { messagesFor } from "../../src/feeds/chat-message";
import { systemClock } from "../../src/runtime/clock";
import { AUTHORITY } from "../attempt/certificates";

const clock = systemClock;

/** Finds every name at this machine. */
const lookup: Lookup = async () => [{ address: "127.0.0.1", family: 4 }];

/** Sends requests by the rules of production, or to this machine as well. Trusts the authority of the tests. */
export function exchangerFor({ production }: { production: boolean }): Exchanger {
  const policy = createAddressPolicy({ production, allowPrivateNetworks: null });
  return new Exchanger({
    resolver: new TargetResolver({ policy, clock, lookup }),
    tls: { certificateAuthorities: AUTHORITY },
    timeoutMs: 15_000,
    responseBodyBytes: 1_024,
    userAgent: "hermod/test",
    clock,
    egressProxy: null,
  });
}

/** Returns whether the client takes a request for genuine. */
export function isGenuine(body: string, { headers }: Pick<Request, "headers">, secret: string): boolean {
  try {
    verify(body, headers, secret);
    return true;
  } catch {
    return false;
  }
}

/** Sends the trials to a receiver, and judges it. It needs no database. */
export async function certifyUrl(
  url: string,
  secrets: readonly string[],
  view: Partial<EndpointView> = {},
): Promise<Record<string, CheckResult>> {
  const exchanger = exchangerFor({ production: false });
  const endpoint = {
    accountId: newId("acc") as AccountId,
    endpointId: newId("ep") as EndpointId,
    view: { ...PLAIN, revision: 1, url, secrets, ...view },
  };
  const options = { exchanger, messages: messagesFor(null), clock, attemptTimeoutMs: 15_000 };
  const answers = await runTrials(options, endpoint, 0);
  exchanger.close();
  if (answers === "own_failure") throw new Error("this machine could not send the trials");
  const results = judgeReceiver({ url, hasDeliveries: true, answers });
  return Object.fromEntries(results.map((each) => [each.check, each]));
}
