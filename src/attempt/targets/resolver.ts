import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";
import type { Claimant } from "../admission";
import { TargetError } from "../failure";
import { type Address, type AddressKind, type AddressPolicy, familyOf } from "./address";
import { type LookupResult, Lookups } from "./lookups";
import { type ResolvedTarget, Route } from "./route";
import { type Lookup, systemLookup } from "./system-lookup";

/** Where names are looked up. A proxy that looks them up must refuse internal addresses itself. */
export type NameResolution = "hermod" | "proxy";

export type TargetResolverOptions = {
  policy: AddressPolicy;
  clock: Clock;
  /** Defaults to `hermod`. */
  egressResolve?: NameResolution;
  /** Refuses http, also for endpoints that are older than the setting. Off unless given. */
  requireHttps?: boolean;
  /** Defaults to the system's. */
  lookup?: Lookup;
  /** An answer is used for this long. Defaults to 5 s. */
  ttlMs?: number;
  /** Longest wait for an answer. Defaults to 3 s. */
  timeoutMs?: number;
};

/** A failed address is avoided for this many milliseconds if the name has others. */
const AVOID_MS = 60_000;
const MAX_AVOIDED = 10_000;
/** Most parsed URLs that are kept. */
const MAX_ROUTES = 8_192;

/**
 * Turns a URL into an address that the policy permits. The exchange connects to that very address, so DNS that answers
 * differently the next time (rebinding) gains nothing. Drops addresses that are not permitted: a useless one beside
 * a good one is a common mistake (AAAA fe80::…), and no danger.
 */
export class TargetResolver {
  private readonly policy: AddressPolicy;
  private readonly egressResolve: NameResolution;
  private readonly clock: Clock;
  private readonly requireHttps: boolean;
  private readonly lookups: Lookups;
  private readonly routes = new BoundedMap<string, Route>(MAX_ROUTES);
  /**
   * End of each failed address's ban, by account, Host header and address. Separate by account, since one with a short
   * deadline may find any address slow.
   */
  private readonly avoided = new BoundedMap<string, number>(MAX_AVOIDED);

  constructor({
    policy,
    clock,
    egressResolve = "hermod",
    requireHttps = false,
    lookup = systemLookup,
    ttlMs = 5_000,
    timeoutMs = 3_000,
  }: TargetResolverOptions) {
    this.policy = policy;
    this.egressResolve = egressResolve;
    this.clock = clock;
    this.requireHttps = requireHttps;
    this.lookups = new Lookups({ lookup, clock, ttlMs, timeoutMs });
  }

  /**
   * Resolves a URL to an address that is not among `tried`. Returns it at once if the host is an address or was just looked
   * up, else a promise. Throws or rejects with `TargetError` or `OwnFailure`.
   */
  resolve(
    url: string,
    claimant: Claimant,
    tried: readonly string[] = [],
  ): ResolvedTarget | Promise<ResolvedTarget> {
    const route = this.routes.get(url) ?? this.newRoute(url);
    if (route.name === null)
      return this.choose(route, claimant, route.literal ? [route.literal] : [], tried, 0);
    if (this.egressResolve === "proxy") return this.byName(route, route.name);
    const known = this.lookups.known(route.name);
    if (known) return this.chooseFrom(route, claimant, known, tried);
    return this.lookups
      .ask(route.name, claimant)
      .then((answer) => this.chooseFrom(route, claimant, answer, tried));
  }

  /** Avoids an address for a while in requests of its account, as long as the name has another. */
  avoid({ host, address }: ResolvedTarget, { account }: Claimant): void {
    this.avoided.set(avoidKey(account, host, address), this.clock.monotonic() + AVOID_MS);
  }

  /** Returns true if the target's name is known to have a permitted address that is not among `tried`. */
  hasOther({ name }: ResolvedTarget, tried: readonly string[]): boolean {
    const addresses = (name === null ? null : this.lookups.known(name)?.addresses) ?? [];
    return addresses.some(({ address }) => !tried.includes(address) && this.policy.permits(address));
  }

  /** Returns the kinds of the target's addresses that are not permitted, as far as they are known. */
  refusedKinds(url: string): readonly AddressKind[] {
    const route = this.routes.get(url);
    if (!route) return [];
    const found = route.literal ? [route.literal] : this.lookups.known(route.name ?? "")?.addresses;
    const refused = found?.filter(({ address }) => !this.policy.permits(address)) ?? [];
    return [...new Set(refused.map(({ address }) => this.policy.kindOf(address)))];
  }

  private newRoute(url: string): Route {
    const route = new Route(url, this.requireHttps);
    this.routes.set(url, route);
    return route;
  }

  /** Checks the name alone: the proxy looks it up, and checks its addresses. */
  private byName(route: Route, name: string): ResolvedTarget {
    if (!this.policy.permitsName(name)) throw new TargetError("blocked_address", "internal_name");
    return route.at(name);
  }

  private chooseFrom(
    route: Route,
    claimant: Claimant,
    answer: LookupResult,
    tried: readonly string[],
  ): ResolvedTarget {
    if (answer.failure) throw answer.failure;
    return this.choose(route, claimant, answer.addresses, tried, answer.uses++);
  }

  private choose(
    route: Route,
    { account }: Claimant,
    addresses: readonly Address[],
    tried: readonly string[],
    uses: number,
  ): ResolvedTarget {
    const permitted = this.permitted(addresses);
    const left = tried.length === 0 ? permitted : permitted.filter(({ address }) => !tried.includes(address));
    const usable = this.usable(account, route.host, left, tried.at(-1));
    const chosen = usable[uses % usable.length];
    if (!chosen) throw new TargetError("dns", "name_not_found");
    return route.at(chosen.address);
  }

  // Picks among addresses of the first one's family, since they are sorted by reachability (RFC 6724). Otherwise, on a
  // machine without IPv6, every other attempt would fail. After an address that could not be connected to,
  // the other family is next (RFC 8305, 4): often a whole family can't be reached.
  private usable(
    account: string,
    host: string,
    addresses: readonly Address[],
    failed: string | undefined,
  ): readonly Address[] {
    if (addresses.length < 2) return addresses;
    const sound = addresses.filter(({ address }) => !this.isAvoided(account, host, address));
    const candidates = sound.length > 0 ? sound : addresses;
    const failedFamily = failed === undefined ? null : familyOf(failed);
    const others = failedFamily ? candidates.filter(({ family }) => family !== failedFamily) : [];
    return others.length > 0 ? others : candidates.filter(({ family }) => family === candidates[0]?.family);
  }

  private isAvoided(account: string, host: string, address: string): boolean {
    const until = this.avoided.get(avoidKey(account, host, address));
    return until !== undefined && until > this.clock.monotonic();
  }

  /** Keeps the permitted addresses. Throws if there are addresses and none is permitted. */
  private permitted(addresses: readonly Address[]): readonly Address[] {
    const isPermitted = ({ address }: Address) => this.policy.permits(address);
    if (addresses.every(isPermitted)) return addresses;
    const permitted = addresses.filter(isPermitted);
    if (permitted.length > 0) return permitted;
    throw new TargetError("blocked_address", null);
  }
}

function avoidKey(account: string, host: string, address: string): string {
  return `${account} ${host} ${address}`;
}
