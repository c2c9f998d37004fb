import { LimitReached } from "../../accounts/limit";
import { eventFlaw } from "../../event-types/event-name";
import { type EventTypes, InvalidSchema } from "../../event-types/event-type";
import { percentDecoded } from "../../runtime/percent-encoding";
import { answer } from "../answer";
import type { Call } from "../call";
import { DELETED } from "../deletion";
import { badRequest, forbidden, notFound } from "../errors";
import { bodyReader } from "../json/json-body";
import { cursorPage } from "../lists/cursor-page";
import type { Cursors } from "../lists/cursors";
import { PutSchema, viewOfEventType } from "./model";

// A schema's own texts, such as descriptions, are its author's business.
const readPut = bodyReader(PutSchema, { untouched: ["schema"] });

/** What was sent, and the schemas payloads must match. */
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

/** A request's URL, and what the router found in it for the event type. */
export type NamePath = { url: string; routed: string };

/**
 * The event type that a path names, or why it names none. Read here, since the router puts a replacement character, which an
 * event type may have as well, where a path is not percent-encoded UTF-8. Except for `.` and `..`: a request's URL is
 * normalised and has lost them, so those are taken from the router.
 */
function nameIn({ url, routed }: NamePath): { name: string } | { flaw: string } {
  if (routed === "." || routed === "..") return { name: routed };
  const [, written = ""] = /\/event-types\/([^/?#]*)/.exec(url) ?? [];
  const name = percentDecoded(written);
  if (name === null) return { flaw: "must be percent-encoded UTF-8" };
  const flaw = eventFlaw(name);
  return flaw === null ? { name } : { flaw };
}
