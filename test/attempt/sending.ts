import { parseProxyUrl } from "../../src/attempt/connections/egress-proxy";
import type { Exchange, SendGuard, SendRequest } from "../../src/attempt/exchange";
import { Sender, type SenderOptions } from "../../src/attempt/send";
import { createAddressPolicy } from "../../src/attempt/targets/address";
import { type NameResolution, TargetResolver } from "../../src/attempt/targets/resolver";
import type { Lookup } from "../../src/attempt/targets/system-lookup";
import { systemClock } from "../../src/runtime/clock";

type Options = Partial<Omit<SenderOptions, "resolver" | "egressProxy">> & {
  /** URL of the proxy. */
  egressProxy?: string;
  egressResolve?: NameResolution;
  lookup?: Lookup;
  /** The resolver keeps answers for this long. */
  ttlMs?: number;
  production?: boolean;
  allowPrivateNetworks?: string;
};

export class TestSender extends Sender {
  /** Returns the exchange; null if nothing was sent. */
  sendOnce(request: SendRequest): Promise<Exchange | null> {
    return sendOnce(this, request);
  }
}

/** A deadline that no exchange with a sound receiver reaches, however busy the machine is. */
export const PATIENT_MS = 20_000;

/** A sender that may connect to this machine. */
export function createSender(options: Options = {}): TestSender {
  const {
    egressProxy,
    egressResolve,
    lookup,
    ttlMs,
    production = false,
    allowPrivateNetworks = null,
    ...rest
  } = options;
  const clock = rest.clock ?? systemClock;
  const policy = createAddressPolicy({ production, allowPrivateNetworks });
  const resolver = new TargetResolver({
    policy,
    clock,
    ttlMs,
    ...(lookup && { lookup }),
    ...(egressResolve && { egressResolve }),
  });
  return new TestSender({
    resolver,
    clock,
    timeoutMs: PATIENT_MS,
    responseBodyBytes: 1_024,
    userAgent: "hermod/test",
    maxInFlight: 1_000,
    egressProxy: egressProxy === undefined ? null : parseProxyUrl(egressProxy),
    ...rest,
  });
}

async function sendOnce(sender: Pick<Sender, "send">, request: SendRequest): Promise<Exchange | null> {
  const result = await sender.send(request);
  if (result.kind === "own_failure") throw new Error(`this machine lacks ${result.shortage}`);
  return result.kind === "exchanged" ? result.exchange : null;
}

/** Sends a request, and throws if nothing was sent. */
export async function exchangeOf(sender: Pick<Sender, "send">, request: SendRequest): Promise<Exchange> {
  const exchange = await sendOnce(sender, request);
  if (!exchange) throw new Error("nothing was sent");
  return exchange;
}

/** A guard that always says yes. */
export const UNGUARDED: SendGuard = { stillWanted: () => true, tryStart: () => true };

/** A request with a small JSON body. Each URL is an endpoint. */
export function to(url: string) {
  const owner = { account: "an account", endpoint: url, isFailing: false };
  const headers = () => ({ "content-type": "application/json" });
  return { owner, url, headers, body: '{"a":1}', timeoutMs: null, guard: UNGUARDED };
}
