import type { Principal } from "../../accounts/authentication/principal";
import { LimitReached } from "../../accounts/limit";
import { matches } from "../../domain/event-filter";
import type { AccountId, EndpointId } from "../../domain/ids";
import { eventProblem } from "../../domain/names";
import type { Endpoints } from "../../endpoints/endpoint";
import { descriptionProblem } from "../../event-types/description";
import { type EventType, type EventTypes, InvalidSchema } from "../../event-types/event-type";
import type { Clock } from "../../runtime/clock";
import { percentDecoded } from "../../runtime/text/percent-encoding";
import { isInReach } from "../../sessions/portal-reach";
import { answer } from "../answer";
import type { Call } from "../call";
import { DELETED } from "../deletion";
import { badRequest, forbidden, notFound } from "../errors";
import { bodyReader } from "../json/json-body";
import { MAX_DEPTH } from "../json/json-text";
import { rawField } from "../json/raw-field";
import { cursorPage } from "../lists/cursor-page";
import type { Cursors } from "../lists/cursors";
import type { Posting } from "../posting";
import { PutEventType, PutSchema, viewOfEventType, viewOfVersion } from "./model";
import { viewOfCheck, warningsOf } from "./schema-check";

// Does not check the texts within a schema, such as descriptions.
const readPut = bodyReader(PutSchema, { untouched: ["schema"] });
const readDescription = bodyReader(PutEventType, { untouched: ["example"] });

/** Answers requests about event types and their schemas. */
export class EventTypeHandlers {
  constructor(
    private readonly eventTypes: EventTypes,
    private readonly cursors: Cursors,
    private readonly posting: Posting,
    private readonly clock: Pick<Clock, "now">,
    private readonly endpoints: Pick<Endpoints, "some">,
  ) {}

  async list({ principal, allowance }: Call, url: string): Promise<Response> {
    const isShown = await this.shownTo(principal);
    const page = await cursorPage(url, {
      cursors: this.cursors.of<string>("event-types", principal.accountId),
      keyOf: ({ name }) => name,
      read: (asked) => this.eventTypes.page(principal.accountId, asked),
      view: (type: EventType) => (isShown(type.name) ? viewOfEventType(type) : null),
    });
    return answer(allowance, 200, { ...page, data: page.data.filter((each) => each !== null) });
  }

  async get({ principal, allowance }: Call, path: NamePath): Promise<Response> {
    const named = nameIn(path);
    const type = "name" in named ? await this.eventTypes.get(principal.accountId, named.name) : null;
    if (type === null || !(await this.shownTo(principal))(type.name))
      throw notFound("There is no such event type");
    return answer(allowance, 200, viewOfEventType(type));
  }

  /**
   * A portal session sees what its link bounds, and what its endpoints want if it is for some: other types may name other
   * customers' business.
   */
  private async shownTo({ accountId, session }: Principal): Promise<(name: string) => boolean> {
    const portal = session?.portal ?? null;
    if (portal === null) return () => true;
    const isWanted = await this.wantedBy(accountId, portal.endpointIds);
    return (name) => isWanted(name) && isInReach(portal, name);
  }

  private async wantedBy(
    accountId: AccountId,
    ids: readonly EndpointId[] | null,
  ): Promise<(name: string) => boolean> {
    if (ids === null) return () => true;
    const filters = (await this.endpoints.some(accountId, ids)).map(({ eventFilter }) => eventFilter);
    return (name) => filters.some((filter) => matches(filter, name));
  }

  async put({ principal, allowance, body }: Call, path: NamePath): Promise<Response> {
    const { example: _, deprecated, ...fields } = readDescription(body);
    const changes = {
      ...fields,
      ...(deprecated !== undefined && { deprecated: deprecated ?? false }),
      ...exampleIn(body.text),
    };
    const type = await orRefuse(this.eventTypes.describe(principal.accountId, checkedName(path), changes));
    return answer(allowance, 200, viewOfEventType(type));
  }

  async putSchema({ principal: { accountId }, allowance, body }: Call, path: NamePath): Promise<Response> {
    const { eventTypes, clock } = this;
    const { schema } = readPut(body);
    const name = checkedName(path);
    const judged = await orRefuse(eventTypes.checkSchema(accountId, name, schema, clock.now()));
    const type = await orRefuse(eventTypes.putSchema(accountId, name, schema));
    return answer(allowance, 200, { ...viewOfEventType(type), warnings: warningsOf(judged) });
  }

  checkSchema(call: Call, path: NamePath, request: Request): Promise<Response> {
    const { accountId } = call.principal;
    return this.posting.handleApart(call, request, async () => {
      const { schema } = readPut(call.body);
      const name = checkedName(path);
      const judged = await orRefuse(this.eventTypes.checkSchema(accountId, name, schema, this.clock.now()));
      return { status: 200, json: JSON.stringify(viewOfCheck(judged)) };
    });
  }

  async versions({ principal, allowance }: Call, path: NamePath): Promise<Response> {
    const named = nameIn(path);
    const type = "name" in named ? await this.eventTypes.get(principal.accountId, named.name) : null;
    if (type === null) throw notFound("There is no such event type");
    const versions = await this.eventTypes.versions(principal.accountId, type.name);
    return answer(allowance, 200, { data: versions.map(viewOfVersion) });
  }

  async deleteSchema({ principal, allowance }: Call, path: NamePath): Promise<Response> {
    const named = nameIn(path);
    const deleted = "name" in named && (await this.eventTypes.deleteSchema(principal.accountId, named.name));
    if (!deleted) throw notFound("This event type has no schema");
    return answer(allowance, 200, DELETED);
  }
}

function checkedName(path: NamePath): string {
  const named = nameIn(path);
  if ("problem" in named) throw badRequest(`name ${named.problem}`);
  return named.name;
}

/** Reads the example's text, byte for byte. */
function exampleIn(json: string): { example?: string | null } {
  const raw = rawField(json, "example");
  if (raw === null) return {};
  const problem = descriptionProblem({ example: raw.text });
  if (problem) throw badRequest(problem);
  if (raw.depth > MAX_DEPTH) throw badRequest(`example is nested deeper than ${MAX_DEPTH} levels`);
  return { example: raw.text === "null" ? null : raw.text };
}

async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof InvalidSchema) throw badRequest(`schema ${error.problem}`);
    if (error instanceof LimitReached) throw forbidden(error.message);
    throw error;
  }
}

/** A request's URL, and the event type that the router found in it. */
export type NamePath = { url: string; routed: string };

/**
 * Reads the event type from the path, or returns its problem. Does not use the router's text, where U+FFFD, a legal character of
 * event types, replaces invalid UTF-8. The exceptions are `.` and `..`: normalisation removes them from the URL, so they come from
 * the router.
 */
function nameIn({ url, routed }: NamePath): { name: string } | { problem: string } {
  if (routed === "." || routed === "..") return { name: routed };
  const [, written = ""] = /\/event-types\/([^/?#]*)/.exec(url) ?? [];
  const name = percentDecoded(written);
  if (name === null) return { problem: "must be percent-encoded UTF-8" };
  const problem = eventProblem(name);
  return problem === null ? { name } : { problem };
}
