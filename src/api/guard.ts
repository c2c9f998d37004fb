import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Authenticator } from "../accounts/authentication/authenticator";
import { type Principal, requestingKeyOf } from "../accounts/authentication/principal";
import type { Allowance, RateLimiter } from "../accounts/rate-limit";
import { MAX_HOPS, toText } from "../domain/ids";
import { principalFor, refusalOfActing, unknownActor } from "./acting";
import type { Auditing } from "./auditing";
import type { Call } from "./call";
import type { RequestMeter } from "./dependencies";
import type { FailureLimit } from "./edge/failure-limit";
import type { KnownPaths } from "./edge/known-paths";
import { bodyProblem, headProblem } from "./edge/request-head";
import type { RequestLog } from "./edge/request-log";
import {
  ApiError,
  badRequest,
  forbidden,
  keyRequired,
  payloadTooLarge,
  tooManyRequests,
  unavailable,
  unsupportedCoding,
} from "./errors";
import { type ExternalIds, withoutExternalId } from "./external-ids";
import { idempotencyKeyOf } from "./idempotency/idempotency";
import { noSuch } from "./ids";
import { hasJsonType, knownFields } from "./json/json-text";
import { BODY_LIMIT, declaresTooMuch, RequestBody, readBody } from "./json/request-body";
import { refuseUnknownParameters } from "./lists/query";
import { type Operation, type PathParameters, UNKNOWN_PATH } from "./openapi/operation";
import { checkPortalScope, type PortalStores, refusalOfPortal } from "./portal-admission";
import { refusalOfForgery, type SessionCookie, tokenOf } from "./session-cookie";
import type { Visitors } from "./visitors";

export type GuardOptions = {
  authenticator: Authenticator;
  visitors: Visitors;
  rateLimiter: RateLimiter;
  failedAuthentications: FailureLimit;
  failedSignIns: FailureLimit;
  /** Counts the 403s, which come before the 429 of the account's limit. */
  refusals: FailureLimit;
  cookie: SessionCookie;
  auditing: Auditing;
  deliveries: PortalStores["deliveries"];
  endpoints: PortalStores["endpoints"];
  externalIds: ExternalIds;
  knownPaths: KnownPaths;
  /** Returns the address that a request came from. */
  addressOf(request: Request): string;
  meter?: Pick<RequestMeter, "requested"> | null;
  requestLog: Pick<RequestLog, "admitted"> | null;
};

/**
 * Gives routes the option `operation`, which checks a request before the handler runs, in the order 401, 403, 429, 413, 400. The
 * handler gets the result as `call`. The option also adds the operation to the document, so that every described route is
 * guarded.
 */
export function createGuard(options: GuardOptions) {
  const requestGuard = new RequestGuard(options);
  const { auditing, knownPaths } = options;
  const admit = async (operation: Operation, context: Routed) => {
    const { request, params = {}, path } = context;
    if (params.id !== undefined && knownPaths.isFixed(path)) {
      await requestGuard.admit(request, UNKNOWN_PATH, {});
      throw knownPaths.refusalOf(request.method, path);
    }
    const call = await requestGuard.admit(request, operation, params);
    if (operation.audit) await auditing.begin(request, operation.audit, call, params);
    context.call = call;
    context.body = call.body;
  };
  return new Elysia({ name: "guard" }).macro({
    operation: (operation: Operation) => ({
      detail: operation.detail,
      // Keeps Elysia from reading the body. The guard reads it once the request is admitted.
      parse: () => null,
      // Runs before Elysia checks the schema of the body.
      transform: (context) => admit(operation, context as unknown as Routed),
      resolve: (context) => ({ call: (context as unknown as Routed).call }),
      // Takes single properties, because Elysia would read the body for a hook with the whole context. Its types lack `call` here.
      afterHandle: (operation.audit
        ? ({ request, params = {}, call, responseValue }: AnsweredRequest) =>
            auditing.end(request, operation, call, params, responseValue)
        : undefined) as unknown as undefined,
    }),
  });
}

/** The parts of Elysia's context that the guard reads and sets. */
type Routed = { request: Request; params?: PathParameters; path: string; call: Call; body: unknown };

type AnsweredRequest = { request: Request; params?: PathParameters; call: Call; responseValue: unknown };

export type Guard = ReturnType<typeof createGuard>;

class RequestGuard {
  constructor(private readonly options: GuardOptions) {}

  /** Admits a request, or throws its refusal. Reads Postgres only for facts that this process has not cached. */
  async admit(request: Request, operation: Operation, params: PathParameters): Promise<Call> {
    const { authenticator, rateLimiter, externalIds, meter, requestLog } = this.options;
    meter?.requested();
    if (operation.isSignIn) this.refuseTooManySignIns(request);
    const token = tokenOf(request, this.options.cookie);
    const authenticate = () => (token === null ? null : authenticator.authenticate(token));
    const visit = () => this.options.visitors.admit(request, operation, token);
    const bearer = stayed((await authenticate()) ?? (await visit()));
    if (bearer === null) throw this.unauthenticated(request, operation);
    // What concerns the token needs no account, which another cell may have.
    const own = operation.cells === "token" ? bearer : null;
    const actor = stayed(await principalFor(request, bearer, authenticator)) ?? own;
    // Counts also a refused request, against the key's own account.
    const principal = actor ?? bearer;
    requestLog?.admitted(request, principal.accountId);
    const allowance = await rateLimiter.take(principal);
    const hops = hopsIn(request);
    const refusal =
      refusalOf(request, operation, principal, allowance) ??
      (actor === null ? unknownActor(request) : refusalOfHops(hops));
    if (refusal) throw this.counted(refusal, principal).withAllowance(allowance);
    try {
      const body = await readRequest(request, operation);
      // The account may have left while a slow body arrived. A GET has none.
      if (request.method !== "GET")
        stayed(await principalFor(request, stayed(await authenticate()) ?? bearer, authenticator));
      // A PUT creates the resource of an unknown external id, so its handler resolves the id.
      const external = request.method === "PUT" ? null : operation.external;
      if (external && params.id)
        params.id = await withoutExternalId(external, params.id, principal.accountId, externalIds);
      checkReceiverScope(principal, params);
      const portal = principal.session?.kind === "portal" ? principal.session.portal : null;
      if (portal) {
        const asked = { url: request.url, params, body };
        await checkPortalScope(this.options, operation, principal, portal, asked);
      }
      // The permissions of a token never change.
      const isStillAllowed = async () => stayed((await authenticate()) ?? (await visit())) !== null;
      return { principal, allowance, body, hops: hops ?? 0, isStillAllowed };
    } catch (error) {
      throw error instanceof ApiError ? error.withAllowance(allowance) : error;
    }
  }

  private refuseTooManySignIns(request: Request): void {
    const wait = this.options.failedSignIns.waitOf(this.options.addressOf(request));
    if (wait !== null) throw tooManyRequests("Too many failed sign-ins", wait);
  }

  /** Counts a 403. Returns the 429 in its place if the credential has too many. */
  private counted(refusal: ApiError, principal: Principal): ApiError {
    if (refusal.status !== 403) return refusal;
    const source = principal.session?.id ?? requestingKeyOf(principal) ?? principal.accountId;
    const wait = this.options.refusals.count(source);
    return wait === null ? refusal : tooManyRequests("Too many refused requests", wait);
  }

  private unauthenticated(request: Request, { isSignIn }: Operation): ApiError {
    const address = this.options.addressOf(request);
    if (isSignIn) this.options.failedSignIns.count(address);
    const wait = this.options.failedAuthentications.count(address);
    if (wait !== null) return tooManyRequests("Too many failed authentications", wait);
    return keyRequired();
  }
}

/** Returns the principal. Throws the 503 while its account leaves for another cell. */
function stayed(principal: Principal | null): Principal | null {
  if (principal?.isMoving) throw unavailable();
  return principal;
}

function refusalOf(
  request: Request,
  operation: Operation,
  principal: Principal,
  allowance: Allowance,
): ApiError | null {
  const { permission } = operation;
  const { session } = principal;
  // A page can't make a browser send a bearer token.
  const isByCookie = session !== null && !request.headers.has("authorization");
  const forgery = isByCookie ? refusalOfForgery(request, session) : null;
  const refused =
    forgery ?? (session && refusalOfPortal(operation, session)) ?? refusalOfReceiver(operation, principal);
  if (refused) return refused;
  if (permission !== null && !isReceiver(principal) && !principal.permissions.has(permission)) {
    return forbidden(`This needs the permission ${permission}`);
  }
  const refusal = refusalOfActing(request, operation, principal);
  if (refusal) return refusal;
  if (!allowance.allowed) {
    const wait = allowance.retryAfterSeconds;
    return tooManyRequests(`Rate limit exceeded; try again in ${wait} seconds`, wait);
  }
  if (declaresTooMuch(request)) return payloadTooLarge(BODY_LIMIT);
  const problem = headProblem(request);
  return problem === null ? null : badRequest(problem);
}

const NO_FIELDS = Type.Object({});

/**
 * Reads the body. Refuses query parameters and bodies that the operation does not take. An operation without a body accepts an
 * empty body or `{}`, which some clients send.
 */
async function readRequest(request: Request, operation: Operation): Promise<RequestBody> {
  const { parameters, hasBody, bounds, takesKey = request.method === "POST" } = operation;
  // Reads the body first, so that a large body is always a 413, also if it is chunked or the operation takes no body.
  const body = new RequestBody(await readBody(request), bounds);
  if (parameters === null) return body;
  refuseUnknownParameters(request.url, parameters);
  if (takesKey) idempotencyKeyOf(request.headers);
  const problem = bodyProblem(request);
  if (problem !== null) throw badRequest(problem);
  if (body.length > 0 && isCoded(request)) throw unsupportedCoding();
  if (body.length > 0 && !hasJsonType(request)) throw badRequest("Content-Type must be application/json");
  if (body.length > 0 && !hasBody) knownFields(body, NO_FIELDS);
  return body;
}

/** True if a body has a content coding other than `identity`, such as a compressed body. */
function isCoded({ headers }: Request): boolean {
  const codings = headers.get("content-encoding")?.split(",") ?? [];
  return !codings.every((coding) => ["", "identity"].includes(coding.trim().toLowerCase()));
}

const HOPS_HEADER = "webhook-hops";

/**
 * Reads the number of deliveries of Hermod that led to a request: 0 without the header, null if it is no number. Hermod sends the
 * header with every delivery and no endpoint can override it, so requests in a loop count up, even through several installations
 * (like CDN-Loop, RFC 8586).
 */
export function hopsIn({ headers }: Request): number | null {
  const text = headers.get(HOPS_HEADER);
  if (text === null) return 0;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Returns the refusal of a request that has looped too often. Its header ends the delivery that caused the request. */
export function refusalOfHops(hops: number | null): ApiError | null {
  if (hops === null) return badRequest(`${HOPS_HEADER} must be a whole number; Hermod alone sets it`);
  if (hops < MAX_HOPS) return null;
  return new ApiError(
    400,
    "BAD_REQUEST",
    `${HOPS_HEADER} is ${hops}, but must be less than ${MAX_HOPS}: an endpoint probably sends its deliveries back to this API`,
    { "webhook-delivery": "abort-message" },
  );
}

/** True for the key of an endpoint's receiver. */
export function isReceiver({ endpointId }: Pick<Principal, "endpointId">): boolean {
  return endpointId !== null;
}

/** Returns the 403 for an operation that is not for receivers; null for other credentials. */
export function refusalOfReceiver({ forReceivers }: Operation, principal: Principal): ApiError | null {
  if (!isReceiver(principal) || forReceivers) return null;
  return forbidden("A receiver key only reads the deliveries of its endpoint");
}

/** Throws 404 if a receiver's key names another endpoint than its own in the path. */
export function checkReceiverScope({ endpointId }: Principal, { id }: PathParameters): void {
  if (endpointId !== null && id !== undefined && id !== toText("ep", endpointId)) throw noSuch("ep");
}
