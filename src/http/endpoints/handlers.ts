import type { Static } from "@sinclair/typebox";
import type { TransactionSql } from "../../db/pool";
import {
  ALL_EVENTS,
  type EventFilter,
  type ParsedFilter,
  parseEventFilter,
  parseEventTypes,
} from "../../domain/event-filter";
import type { AccountId, EndpointId } from "../../domain/ids";
import type { Endpoint, EndpointPatch, FormerEndpoint, NewEndpoint } from "../../endpoints/endpoint";
import { DEFAULT_OVERLAP_S } from "../../endpoints/secret-rotation";
import { GIVEN_SECRET_BYTES, isSigningSecret } from "../../endpoints/signing-secret";
import type { EventTypes } from "../../event-types/event-type";
import type { Clock } from "../../runtime/clock";
import { refusalOfChange, refusalOfCreation } from "../../sessions/portal-reach";
import { acceptOne } from "../accepting";
import { answer } from "../answer";
import type { Call } from "../call";
import { DELETED } from "../deletion";
import type { CheckUrl } from "../dependencies";
import { badRequest, forbidden } from "../errors";
import { changeOrCreate, checkedExternalId, externalIdInPath } from "../external-ids";
import { type Done, idempotencyKeyOf } from "../idempotency/idempotency";
import { idInPath, noSuch } from "../ids";
import { bodyReader } from "../json/json-body";
import { type CursorList, cursorPage } from "../lists/cursor-page";
import type { Cursors } from "../lists/cursors";
import { Query } from "../lists/query";
import { answerWhole } from "../lists/whole-list";
import { created } from "../posting";
import type { SendingOptions } from "../resources/webhooks/sending";
import { type FilterTesting, testFilter } from "./filter-test";
import { readHeaders, replacesSecrets } from "./headers";
import {
  CreateEndpoint,
  PutEndpoint,
  RotateSecret,
  seenBy,
  UpdateEndpoint,
  viewOfEndpoint,
  viewOfRotation,
} from "./model";
import { ENDPOINT_FILTERS, METADATA_PREFIX, readEndpointSearch } from "./search-query";
import { viewOfEndpointStats } from "./stats";
import { exampleAskedFor, testing } from "./test-event";
import { readTuning } from "./tuning";

export type EndpointOptions = SendingOptions &
  FilterTesting & {
    clock: Clock;
    eventTypes: Pick<EventTypes, "get">;
    cursors: Cursors;
    checkUrl: CheckUrl;
  };

type FilterFields = Pick<Static<typeof CreateEndpoint>, "event_filter" | "event_types">;

const readCreate = bodyReader(CreateEndpoint);
const readPut = bodyReader(PutEndpoint);
const readUpdate = bodyReader(UpdateEndpoint);
const readRotate = bodyReader(RotateSecret);

export class EndpointHandlers {
  constructor(private readonly options: EndpointOptions) {}

  async list({ principal, allowance }: Call, request: Request): Promise<Response> {
    const { accountId } = principal;
    const { endpoints, cursors } = this.options;
    const view = (endpoint: Endpoint) => viewOfEndpoint(seenBy(principal, endpoint));
    const query = new Query(request.url, ["limit", "cursor", ...ENDPOINT_FILTERS], METADATA_PREFIX);
    const search = readEndpointSearch(query);
    const some = principal.session?.portal?.endpointIds;
    if (some) return answer(allowance, 200, (await endpoints.some(accountId, some)).map(view));
    const list: CursorList<Endpoint, EndpointId> = {
      cursors: cursors.of("endpoints", accountId),
      keyOf: ({ id }) => id,
      read: (asked) => endpoints.page(accountId, asked, search),
      view,
    };
    if (!query.has("limit") && !query.has("cursor")) return answerWhole(allowance, list);
    return answer(allowance, 200, await cursorPage(request.url, list));
  }

  create(call: Call, request: Request): Promise<Response> {
    const portal = call.principal.session?.portal ?? null;
    return this.options.posting.handleSecret(call, request, () => {
      const body = readCreate(call.body);
      const wanted = {
        ...this.wantedIn(body),
        filter: body.filter ?? null,
        signingSecret: checkedSecret(body.signing_secret),
        externalId: checkedExternalId("ep", body.external_id),
      };
      refuse(portal && refusalOfCreation(portal, wanted.eventFilter));
      return (sql) => this.make(sql, call, wanted);
    });
  }

  /**
   * Creates or changes the endpoint with the external id in the path. With an id in the path, changes that endpoint. A creation
   * with an Idempotency-Key can be repeated, so a lost answer does not lose the secret.
   */
  async put(call: Call, text: string, request: Request): Promise<Response> {
    const { principal, allowance } = call;
    const { endpoints, posting } = this.options;
    const body = readPut(call.body);
    const patch = this.patchIn(body);
    const externalId = externalIdInPath("ep", text);
    return changeOrCreate({
      find: async () =>
        externalId === null ? idInPath("ep", text) : endpoints.idOf(principal.accountId, externalId),
      change: async (id) => {
        const repeated = await posting.repeatSecret(call, request);
        if (repeated) return repeated;
        const endpoint = await this.change(call, id, patch);
        return endpoint && answer(allowance, 200, viewOfEndpoint(endpoint));
      },
      create: async () => {
        if (externalId === null) throw noSuch("ep");
        const { url } = body;
        if (url === undefined) throw badRequest("url is required to create an endpoint");
        const wanted = { ...this.wantedIn({ ...body, url }), filter: body.filter ?? null, externalId };
        return posting.handleSecret(call, request, () => (sql) => this.make(sql, call, wanted));
      },
    });
  }

  async get({ principal, allowance }: Call, id: string): Promise<Response> {
    const endpoint = await this.options.endpoints.get(principal.accountId, idInPath("ep", id));
    if (endpoint === null) throw noSuch("ep");
    return answer(allowance, 200, viewOfEndpoint(seenBy(principal, endpoint)));
  }

  async update(call: Call, id: string): Promise<Response> {
    const { external_id, ...body } = readUpdate(call.body);
    const patch = { ...this.patchIn(body), externalId: checkedExternalId("ep", external_id) };
    const endpoint = await this.change(call, idInPath("ep", id), patch);
    if (endpoint === null) throw noSuch("ep");
    return answer(call.allowance, 200, viewOfEndpoint(seenBy(call.principal, endpoint)));
  }

  rotateSecret(call: Call, text: string, request: Request): Promise<Response> {
    const { endpoints, posting } = this.options;
    const { principal } = call;
    return posting.handleSecret(call, request, () => {
      const { overlap, signing_secret } = call.body.length === 0 ? {} : readRotate(call.body);
      const wanted = {
        overlapMs: (overlap ?? DEFAULT_OVERLAP_S) * 1_000,
        signingSecret: checkedSecret(signing_secret),
      };
      return async (sql) => {
        const id = idInPath("ep", text);
        const rotated = await endpoints.rotateSecret(sql, principal.accountId, id, wanted);
        if (rotated === null) throw noSuch("ep");
        await endpoints.retry(sql, principal.accountId, id);
        const seen = { ...rotated, endpoint: seenBy(principal, rotated.endpoint) };
        return { ...created(viewOfRotation(seen)), afterCommit: () => endpoints.notifyChange(id) };
      };
    });
  }

  async remove({ principal, allowance }: Call, id: string): Promise<Response> {
    const deleted = await this.options.endpoints.delete(principal.accountId, idInPath("ep", id));
    if (!deleted) throw noSuch("ep");
    return answer(allowance, 200, DELETED);
  }

  async stats({ principal, allowance }: Call, id: string): Promise<Response> {
    const { endpoints, clock } = this.options;
    const now = clock.now();
    const stats = await endpoints.stats(principal.accountId, idInPath("ep", id), now);
    if (stats === null) throw noSuch("ep");
    return answer(allowance, 200, viewOfEndpointStats(stats, now));
  }

  retry(call: Call, text: string, request: Request): Promise<Response> {
    const { endpoints, posting } = this.options;
    return posting.handle(call, request, () => async (sql) => {
      const id = idInPath("ep", text);
      const retried = await endpoints.retry(sql, call.principal.accountId, id);
      if (retried === null) throw noSuch("ep");
      return {
        status: 200,
        json: JSON.stringify({ retried }),
        afterCommit: () => endpoints.notifyChange(id),
      };
    });
  }

  async test(call: Call, id: string, request: Request): Promise<Response> {
    // Refuses a wrong key before it reads the body, like every POST.
    idempotencyKeyOf(request.headers);
    const event = exampleAskedFor(call.body);
    const example = event === null ? null : await this.exampleOf(call.principal.accountId, event);
    return acceptOne(testing(id, call.principal, this.options, example), call, request);
  }

  private async exampleOf(accountId: AccountId, event: string): Promise<string> {
    const type = await this.options.eventTypes.get(accountId, event);
    if (type?.example) return type.example;
    throw badRequest(`event has no example; give it one by PUT /event-types/${encodeURIComponent(event)}`);
  }

  testFilter(call: Call, id: string, request: Request): Promise<Response> {
    return testFilter(this.options, call, id, request);
  }

  /** Creates the endpoint. Only this answer shows its signing secret. */
  private async make(sql: TransactionSql, { principal }: Call, wanted: NewEndpoint): Promise<Done> {
    const { endpoints, payloadGate } = this.options;
    const { accountId } = principal;
    await this.checkFilter(accountId, wanted.filter);
    const { endpoint, signingSecret } = await endpoints.create(sql, accountId, wanted);
    const body = { ...viewOfEndpoint(endpoint), signing_secret: signingSecret };
    return { ...created(body), afterCommit: () => payloadGate.forget(accountId) };
  }

  private async change({ principal }: Call, id: EndpointId, patch: EndpointPatch): Promise<Endpoint | null> {
    const { endpoints, payloadGate } = this.options;
    await this.checkFilter(principal.accountId, patch.filter);
    const portal = principal.session?.portal ?? null;
    const check = (before: FormerEndpoint) => refuse(portal && refusalOfChange(portal, before, patch));
    const endpoint = await endpoints.update(principal.accountId, id, patch, check);
    payloadGate.forget(principal.accountId);
    return endpoint;
  }

  private async checkFilter(accountId: AccountId, filter: string | null | undefined): Promise<void> {
    if (!filter) return;
    const problem = await this.options.rules.checkFilter(accountId, filter);
    if (problem !== null) throw badRequest(`filter ${problem}`);
  }

  private wantedIn(body: Static<typeof CreateEndpoint>): NewEndpoint {
    return {
      url: this.checkedUrl(body.url),
      description: body.description ?? null,
      eventFilter: filterIn(body) ?? ALL_EVENTS,
      isActive: body.is_active ?? true,
      feed: body.feed ?? false,
      headers: readHeaders({ ...body, headers: body.headers ?? undefined }) ?? [],
      tuning: readTuning(body),
    };
  }

  private patchIn(body: Static<typeof PutEndpoint>): EndpointPatch {
    return {
      url: body.url === undefined ? undefined : this.checkedUrl(body.url),
      description: body.description,
      eventFilter: filterIn(body),
      filter: body.filter,
      isActive: body.is_active,
      feed: body.feed,
      headers: readHeaders(body),
      replacesSecrets: replacesSecrets(body),
      ...readTuning(body),
    };
  }

  private checkedUrl(text: string): string {
    const verdict = this.options.checkUrl(text);
    if (!verdict.ok) throw badRequest(verdict.reason);
    // Keeps a bare origin as it was written: normalizing would add a slash, which makes no difference.
    return verdict.url === `${text}/` ? text : verdict.url;
  }
}

function refuse(problem: string | null): void {
  if (problem !== null) throw forbidden(problem);
}

/** Reads a body's filter from either field; undefined if it has none. */
function filterIn({ event_filter, event_types }: FilterFields): EventFilter | undefined {
  if (typeof event_filter === "string" && event_types) {
    throw badRequest("event_filter and event_types are two forms of one filter: give one of them");
  }
  if (typeof event_filter === "string") return filterOf("event_filter", parseEventFilter(event_filter));
  return event_types ? filterOf("event_types", parseEventTypes(event_types)) : undefined;
}

function filterOf(name: string, parsed: ParsedFilter): EventFilter {
  if ("problem" in parsed) throw badRequest(`${name} ${parsed.problem}`);
  return parsed.filter;
}

function checkedSecret(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null) return undefined;
  if (isSigningSecret(text)) return text;
  const { least, most } = GIVEN_SECRET_BYTES;
  throw badRequest(`signing_secret must be whsec_ and the base64 of ${least} to ${most} bytes`);
}
