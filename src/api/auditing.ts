import { type Principal, requestingKeyOf } from "../accounts/authentication/principal";
import type { AuditLog } from "../audit/audit-log";
import type { AuditEntry, Facts } from "../domain/audit-entry";
import { type AccountId, fromText } from "../domain/ids";
import { describeError, type Log } from "../runtime/log";
import type { Call } from "./call";
import { requestIdOf } from "./edge/request-head";
import type { RequestBody } from "./json/request-body";
import type { Audit, Operation, PathParameters } from "./openapi/operation";

const HIDDEN = "…";
/** Longer values are hidden as well. */
const MAX_VALUE = 1_024;

export type AuditingOptions = {
  auditLog: Pick<AuditLog, "write">;
  nameOfKey(id: NonNullable<Principal["keyId"]>): Promise<string | null>;
  log: Log;
};

/** Writes the audit log: an entry for every operation that changes something, with its actor. */
export class Auditing {
  private readonly befores = new WeakMap<Request, Facts | null>();

  constructor(private readonly options: AuditingOptions) {}

  /** Reads the resource before the change. */
  async begin(
    request: Request,
    { before: read }: Audit,
    { principal }: Call,
    params: PathParameters,
  ): Promise<void> {
    // Ignores failures, since the handler refuses an invalid id.
    const before = read ? await read(principal.accountId, params).catch(() => null) : null;
    this.befores.set(request, before);
  }

  /** Writes the entry of an answered change. If that fails, the change stays, and the log has an error. */
  async end(
    request: Request,
    operation: Operation,
    call: Call,
    params: PathParameters,
    response: unknown,
  ): Promise<void> {
    if (!(response instanceof Response) || !response.ok || response.headers.has("idempotency-replayed"))
      return;
    try {
      const after = factsIn(call.body);
      if (after?.dry_run === true) return;
      await this.options.auditLog.write(
        await this.entryOf(request, operation, call, params, response, after),
      );
    } catch (error) {
      const facts = { operation: operation.id, params, request_id: requestIdOf(request) };
      this.options.log.error(
        { ...describeError(error), ...facts },
        "could not write a change to the audit log; the change is in effect",
      );
    }
  }

  private async entryOf(
    request: Request,
    operation: Operation,
    call: Call,
    params: PathParameters,
    response: Response,
    after: ReturnType<typeof factsIn>,
  ): Promise<Omit<AuditEntry, "id">> {
    const before = this.befores.get(request) ?? null;
    const answered = await answeredIn(response);
    const shown = (facts: Facts) => shownOf(facts, operation.audit?.shows ?? []);
    return {
      ...(await this.actorOf(call.principal)),
      accountId: accountOf(operation, call, params, answered),
      operation: operation.id,
      target: params.key_id ?? params.id ?? params.name ?? answered.id,
      requestId: requestIdOf(request),
      before: before && after && shown(pick(before, Object.keys(after))),
      after: after && shown(after),
    };
  }

  private async actorOf(
    principal: Principal,
  ): Promise<Pick<AuditEntry, "actorKind" | "keyId" | "actorName" | "sessionId">> {
    const { session, vouched } = principal;
    const sessionId = session?.id ?? null;
    if (session?.person)
      return { actorKind: "person", keyId: null, actorName: session.person.name, sessionId };
    const own = requestingKeyOf(principal);
    const keyId = own ?? session?.keyId ?? null;
    if (keyId === null) return { actorKind: "jwt", keyId, actorName: null, sessionId };
    const actorName = vouched ? vouched.keyName : await this.options.nameOfKey(keyId).catch(() => null);
    return { actorKind: own === null ? "portal" : "key", keyId, actorName, sessionId };
  }
}

/** The parts of an answer that an entry has. */
type Answered = Readonly<{ id: string | null; accountId: AccountId | null }>;

/** Returns the account that a change concerns. Administrators name another account in the path, or in the body as for a link. */
function accountOf(
  { external }: Operation,
  { principal }: Call,
  { id }: PathParameters,
  answered: Answered,
): AccountId {
  const inPath = external === "acc" && id !== undefined ? fromText("acc", id) : null;
  return inPath ?? answered.accountId ?? principal.accountId;
}

/** Reads the ids of the created resource and of its account, from a copy of the answer, which can be read only once. */
async function answeredIn(response: Response): Promise<Answered> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const { id, account_id } = (typeof body === "object" && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  return {
    id: typeof id === "string" ? id : null,
    accountId: typeof account_id === "string" ? fromText("acc", account_id) : null,
  };
}

function factsIn(body: RequestBody): Facts | null {
  return body.length === 0 ? null : body.object;
}

function pick(facts: Facts, names: readonly string[]): Facts {
  return Object.fromEntries(names.flatMap((name) => (name in facts ? [[name, facts[name]]] : [])));
}

/** Replaces values that may be secret, or are large. */
function shownOf(facts: Facts, shows: readonly string[]): Facts {
  const shown = (name: string, value: unknown) =>
    shows.includes(name) && JSON.stringify(value).length <= MAX_VALUE ? value : HIDDEN;
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, shown(name, value)]));
}
