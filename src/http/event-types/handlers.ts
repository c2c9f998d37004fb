import { LimitReached } from "../../accounts/limit";
import { eventFlaw } from "../../domain/names";
import { type EventTypes, InvalidSchema } from "../../event-types/event-type";
import { percentDecoded } from "../../runtime/text/percent-encoding";
import { answer } from "../answer";
import type { Call } from "../call";
import { DELETED } from "../deletion";
import { badRequest, forbidden, notFound } from "../errors";
import { bodyReader } from "../json/json-body";
import { cursorPage } from "../lists/cursor-page";
import type { Cursors } from "../lists/cursors";
import { PutSchema, viewOfEventType } from "./model";

// Skips the texts within a schema, such as descriptions: they are the author's business.
const readPut = bodyReader(PutSchema, { untouched: ["schema"] });

/** Answers requests about event types and their schemas. */
export class EventTypeHandlers {
  constructor(
    private readonly eventTypes: EventTypes,
    private readonly cursors: Cursors,
  ) {}

  async list({ principal, allowance }: Call, url: string): Promise<Response> {
    const page = await cursorPage(url, {
      cursors: this.cursors.of<string>("event-types", principal.accountId),
      keyOf: ({ name }) => name,
      read: (asked) => this.eventTypes.page(principal.accountId, asked),
      view: viewOfEventType,
    });
    return answer(allowance, 200, page);
  }

  async get({ principal, allowance }: Call, path: NamePath): Promise<Response> {
    const named = nameIn(path);
    const type = "name" in named ? await this.eventTypes.get(principal.accountId, named.name) : null;
    if (type === null) throw notFound("There is no such event type");
    return answer(allowance, 200, viewOfEventType(type));
  }

  async putSchema({ principal, allowance, body }: Call, path: NamePath): Promise<Response> {
    const { schema } = readPut(body);
    const named = nameIn(path);
    if ("flaw" in named) throw badRequest(`name ${named.flaw}`);
    const type = await orRefuse(this.eventTypes.putSchema(principal.accountId, named.name, schema));
    return answer(allowance, 200, viewOfEventType(type));
  }

  async deleteSchema({ principal, allowance }: Call, path: NamePath): Promise<Response> {
    const named = nameIn(path);
    const deleted = "name" in named && (await this.eventTypes.deleteSchema(principal.accountId, named.name));
    if (!deleted) throw notFound("This event type has no schema");
    return answer(allowance, 200, DELETED);
  }
}

async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof InvalidSchema) throw badRequest(`schema ${error.flaw}`);
    if (error instanceof LimitReached) throw forbidden(error.message);
    throw error;
  }
}

/** A request's URL, and the event type that the router found in it. */
export type NamePath = { url: string; routed: string };

/**
 * Reads the event type from the path, or returns its flaw. The router can't be used: it replaces invalid UTF-8 by
 * U+FFFD, a legal character of event types. The exceptions are `.` and `..`, which normalisation removes from the URL,
 * so they come from the router.
 */
function nameIn({ url, routed }: NamePath): { name: string } | { flaw: string } {
  if (routed === "." || routed === "..") return { name: routed };
  const [, written = ""] = /\/event-types\/([^/?#]*)/.exec(url) ?? [];
  const name = percentDecoded(written);
  if (name === null) return { flaw: "must be percent-encoded UTF-8" };
  const flaw = eventFlaw(name);
  return flaw === null ? { name } : { flaw };
}
