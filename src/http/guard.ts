import { Elysia } from "elysia";
import type { Authenticator } from "../accounts/authenticator";
import type { Principal } from "../accounts/principal";
import type { Allowance, RateLimiter } from "../accounts/rate-limit";
import { BODY_LIMIT, declaresTooMuch, readBody } from "./body";
import type { Call } from "./call";
import type { RequestMeter } from "./dependencies";
import { ApiError, badRequest, forbidden, payloadTooLarge, tooManyRequests, unauthorized } from "./errors";
import type { FailedAuthentications } from "./failed-authentications";
import type { Operation } from "./openapi/operation";
import { flawOfHead } from "./request-head";

export type GuardOptions = {
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  failedAuthentications: FailedAuthentications;
  /** Where a request came from. */
  addressOf(request: Request): string;
  meter?: Pick<RequestMeter, "requested"> | null;
};

/**
 * Gives routes the option `operation`: it judges a request before the handler runs, in the order 401, 403, 429, 413, 400.
 * The handler gets the result as `call`. The option also puts the operation into the document, so that a route can't be
 * described without being guarded.
 */
export function createGuard(options: GuardOptions) {
  const entrance = new Entrance(options);
  return new Elysia({ name: "guard" }).macro({
    operation: (operation: Operation) => ({
      detail: operation.detail,
      resolve: async ({ request }: { request: Request }) => ({
        call: await entrance.admit(request, operation),
      }),
    }),
  });
}

export type Guard = ReturnType<typeof createGuard>;

class Entrance {
  constructor(private readonly options: GuardOptions) {}

  /** Waits only for what this process does not know yet. */
  async admit(request: Request, operation: Operation): Promise<Call> {
    const { authenticator, rateLimiter, meter } = this.options;
    meter?.requested();
    const token = tokenOf(request);
    const known = token === null ? null : authenticator.authenticate(token);
    const principal = known instanceof Promise ? await known : known;
    if (principal === null) throw this.refuseStranger(request);
    const taken = rateLimiter.take(principal);
    const allowance = taken instanceof Promise ? await taken : taken;
    const refusal = refusalOf(request, operation, principal, allowance);
    if (refusal) throw refusal.withAllowance(allowance);
    // Where no handler reads a body, only this sees how long one in chunks is.
    if (operation.permission === null || request.method === "DELETE") await countBody(request, allowance);
    return { principal, allowance };
  }

  private refuseStranger(request: Request): ApiError {
    const wait = this.options.failedAuthentications.count(this.options.addressOf(request));
    if (wait !== null) return tooManyRequests("Too many failed authentications", wait);
    return unauthorized("A valid API key is required, as Authorization: Bearer <API_KEY>");
  }
}

function refusalOf(
  request: Request,
  { permission }: Operation,
  principal: Principal,
  allowance: Allowance,
): ApiError | null {
  if (permission !== null && !principal.permissions.has(permission)) {
    return forbidden(`This needs the permission ${permission}`);
  }
  if (!allowance.allowed) {
    const wait = allowance.retryAfterSeconds;
    return tooManyRequests(`Rate limit exceeded; try again in ${wait} seconds`, wait);
  }
  if (declaresTooMuch(request)) return payloadTooLarge(BODY_LIMIT);
  const flaw = flawOfHead(request);
  return flaw === null ? null : badRequest(flaw);
}

/** Reads a body that no one asked for. Throws as `readBody` does. */
async function countBody(request: Request, allowance: Allowance): Promise<void> {
  try {
    await readBody(request);
  } catch (error) {
    throw error instanceof ApiError ? error.withAllowance(allowance) : error;
  }
}

const BEARER = /^bearer +(\S+) *$/i;

function tokenOf(request: Request): string | null {
  const header = request.headers.get("authorization");
  return header === null ? null : (BEARER.exec(header)?.[1] ?? null);
}
