import type { Static } from "@sinclair/typebox";
import type { Accounts } from "../../accounts/account";
import type { Principal } from "../../accounts/authentication/principal";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import type { CheckUrl } from "../../api/dependencies";
import { badRequest, CELL_HEADER, forbidden, UnknownAccount } from "../../api/errors";
import { changeOrCreate, checkedExternalId, externalIdInPath } from "../../api/external-ids";
import type { Done } from "../../api/idempotency/idempotency";
import { idInPath, noSuch } from "../../api/ids";
import { created, type Posting } from "../../api/posting";
import type { OwnCell } from "../../cells/own-cell";
import type { TransactionSql } from "../../db/pool";
import { type AccountId, type EndpointId, toText } from "../../domain/ids";
import type {
  Endpoint,
  EndpointPatch,
  Endpoints,
  FormerEndpoint,
  NewEndpoint,
} from "../../endpoints/endpoint";
import { DEFAULT_OVERLAP_S } from "../../endpoints/secret-rotation";
import type { PayloadGate } from "../../event-types/payload-gate";
import type { RulesThreads } from "../../event-types/rules-threads";
import { refusalOfChange, refusalOfCreation } from "../../sessions/portal-reach";
import { checkedSecret, patchIn, wantedIn } from "./body";
import { refuseHalfSwitch } from "./delivery-way";
import {
  type CreateEndpoint,
  type PutEndpoint,
  type RotateSecret,
  seenBy,
  type UpdateEndpoint,
  viewOfEndpoint,
  viewOfRotation,
} from "./endpoint";
import { refuseBadFilter } from "./filter-test";

export type WritingOptions = {
  endpoints: Endpoints;
  accounts: Pick<Accounts, "get">;
  posting: Posting;
  payloadGate: Pick<PayloadGate, "forget">;
  rules: Pick<RulesThreads, "checkFilter">;
  checkUrl: CheckUrl;
  /** Null in an installation without cells. */
  cell: Pick<OwnCell, "name"> | null;
};

export function createEndpoint(
  call: Call,
  request: Request,
  body: Static<typeof CreateEndpoint>,
  options: WritingOptions,
): Promise<Response> {
  const portal = call.principal.session?.portal ?? null;
  return options.posting.handleSecret(call, request, () => {
    const wanted = {
      ...wantedIn(body, options.checkUrl),
      signingSecret: checkedSecret(body.signing_secret),
      externalId: checkedExternalId("ep", body.external_id),
    };
    refuse(portal && refusalOfCreation(portal, wanted.eventFilter));
    return (sql) => make(sql, call, request, wanted, options);
  });
}

export async function updateEndpoint(
  call: Call,
  id: string,
  request: Request,
  { external_id, ...body }: Static<typeof UpdateEndpoint>,
  options: WritingOptions,
): Promise<Response> {
  const patch = { ...patchIn(body, options.checkUrl), externalId: checkedExternalId("ep", external_id) };
  const endpoint = await change(call, idInPath("ep", id), request, { body, patch }, options);
  if (endpoint === null) throw noSuch("ep");
  return answer(call.allowance, 200, viewOfEndpoint(seenBy(call.principal, endpoint)));
}

/**
 * Creates or changes the endpoint with the external id in the path. With an id in the path, changes that endpoint. A creation
 * with an Idempotency-Key can be repeated, so a lost answer does not lose the secret.
 */
export async function putEndpoint(
  call: Call,
  text: string,
  request: Request,
  body: Static<typeof PutEndpoint>,
  options: WritingOptions,
): Promise<Response> {
  const { principal, allowance } = call;
  const { endpoints, posting, checkUrl } = options;
  const patch = patchIn(body, checkUrl);
  const externalId = externalIdInPath("ep", text);
  return changeOrCreate({
    find: async () =>
      externalId === null ? idInPath("ep", text) : endpoints.idOf(principal.accountId, externalId),
    change: async (id) => {
      const repeated = await posting.repeatSecret(call, request);
      if (repeated) return repeated;
      const endpoint = await change(call, id, request, { body, patch }, options);
      return endpoint && answer(allowance, 200, viewOfEndpoint(endpoint));
    },
    create: async () => {
      if (externalId === null) throw noSuch("ep");
      const wanted = { ...wantedIn({ ...body, url: body.url ?? undefined }, checkUrl), externalId };
      return posting.handleSecret(call, request, () => (sql) => make(sql, call, request, wanted, options));
    },
  });
}

export function rotateSecret(
  call: Call,
  text: string,
  request: Request,
  { overlap, signing_secret }: Static<typeof RotateSecret>,
  { endpoints, posting }: WritingOptions,
): Promise<Response> {
  const { principal } = call;
  return posting.handleSecret(call, request, () => {
    const wanted = {
      overlapMs: (overlap ?? DEFAULT_OVERLAP_S) * 1_000,
      signingSecret: checkedSecret(signing_secret),
    };
    return async (sql) => {
      const id = idInPath("ep", text);
      const before = await endpoints.get(principal.accountId, id);
      refuse(refusalOfFeed(principal, before?.feedAccounts));
      const rotated = await endpoints.rotateSecret(sql, principal.accountId, id, wanted);
      if (rotated === null) throw noSuch("ep");
      await endpoints.retry(sql, principal.accountId, id);
      const seen = { ...rotated, endpoint: seenBy(principal, rotated.endpoint) };
      return { ...created(viewOfRotation(seen)), afterCommit: () => endpoints.notifyChange(id) };
    };
  });
}

/** Creates the endpoint. Only this answer shows its signing secret. */
async function make(
  sql: TransactionSql,
  { principal }: Call,
  request: Request,
  wanted: NewEndpoint,
  options: WritingOptions,
): Promise<Done> {
  const { endpoints, payloadGate, rules } = options;
  const { accountId } = principal;
  refuse(refusalOfFeed(principal, wanted.feedAccounts));
  await refuseElsewhere(wanted.feedAccounts, request, options);
  await refuseBadFilter(rules, accountId, wanted.filter);
  const { endpoint, signingSecret } = await endpoints.create(sql, accountId, wanted);
  const body = { ...viewOfEndpoint(endpoint), signing_secret: signingSecret };
  return { ...created(body), afterCommit: () => payloadGate.forget(accountId) };
}

async function change(
  { principal }: Call,
  id: EndpointId,
  request: Request,
  { body, patch }: Readonly<{ body: Static<typeof PutEndpoint>; patch: EndpointPatch }>,
  options: WritingOptions,
): Promise<Endpoint | null> {
  const { endpoints, payloadGate, rules } = options;
  const { accountId, session } = principal;
  refuse(refusalOfFeed(principal, patch.feedAccounts));
  await refuseElsewhere(patch.feedAccounts, request, options);
  await refuseBadFilter(rules, accountId, patch.filter);
  if (body.delivery === "push" && !body.url) {
    // Alone it changes nothing, so that the check below would not run.
    const before = await endpoints.get(accountId, id);
    if (before) refuseHalfSwitch(before.url, body);
  }
  const portal = session?.portal ?? null;
  const check = (before: FormerEndpoint) => {
    refuse(
      refusalOfFeed(principal, before.feedAccounts) ?? (portal && refusalOfChange(portal, before, patch)),
    );
    refuseHalfSwitch(before.url, body);
  };
  const endpoint = await endpoints.update(accountId, id, patch, check);
  payloadGate.forget(accountId);
  return endpoint;
}

/** Returns the reason for which a caller may not make or change the endpoint of a feed about other accounts; null if it may. */
export function refusalOfFeed(
  { permissions }: Pick<Principal, "permissions">,
  feedAccounts: readonly AccountId[] | null | undefined,
): string | null {
  if (!feedAccounts || permissions.has("admin")) return null;
  return "A feed with feed_accounts needs the permission admin";
}

/** Refuses a feed about accounts that are not here. One about all accounts must name its cell, since it hears of no other. */
async function refuseElsewhere(
  ids: readonly AccountId[] | null | undefined,
  { headers }: Request,
  { accounts, cell }: Pick<WritingOptions, "accounts" | "cell">,
): Promise<void> {
  const isOfAll = ids?.length === 0;
  if (isOfAll && cell !== null && headers.get(CELL_HEADER) !== cell.name)
    throw badRequest(
      "A feed of all accounts reports on one cell: name it by Hermod-Cell, and make a feed in each cell",
    );
  const found = await Promise.all((ids ?? []).map((id) => accounts.get(id)));
  const unknown = ids?.find((_, i) => found[i] === null);
  if (unknown === undefined) return;
  const id = toText("acc", unknown);
  throw new UnknownAccount(400, "BAD_REQUEST", `feed_accounts names no account: ${id}`, id);
}

export function refuse(problem: string | null): void {
  if (problem !== null) throw forbidden(problem);
}
