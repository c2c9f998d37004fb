import { type EventTypes, InvalidSchema, TooManySchemas } from "../../event-types/event-type";
import { answer } from "../answer";
import type { Call } from "../call";
import { badRequest, forbidden, notFound } from "../errors";
import { bodyReader, readJsonBytes } from "../json-body";
import { pageLimit } from "../page-limit";
import { Query } from "../query";
import { eventFlaw } from "../webhooks/event-name";
import { PutSchema, viewOfEventType } from "./model";

// A schema's own texts, such as descriptions, are its author's business.
const readPut = bodyReader(PutSchema, { untouched: ["schema"] });

/** What was sent, and the schemas payloads must match. */
export class EventTypeHandlers {
  constructor(private readonly eventTypes: EventTypes) {}

  async list({ principal, allowance }: Call, url: string): Promise<Response> {
    const query = new Query(url, ["limit", "cursor"]);
    const limit = pageLimit(query.count("limit"));
    const after = parseCursor(query.text("cursor"));
    const found = await this.eventTypes.list(principal.accountId, { limit: limit + 1, after });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const cursor = last && found.length > limit ? formatCursor(last.name) : null;
    return answer(allowance, 200, { data: shown.map(viewOfEventType), cursor });
  }

  async get({ principal, allowance }: Call, name: string): Promise<Response> {
    const type = isName(name) ? await this.eventTypes.get(principal.accountId, name) : null;
    if (type === null) throw notFound("There is no such event type");
    return answer(allowance, 200, viewOfEventType(type));
  }

  async putSchema({ principal, allowance }: Call, name: string, request: Request): Promise<Response> {
    const { schema } = readPut(await readJsonBytes(request));
    if (!isName(name)) throw badRequest(`name ${nameFlaw(name)}`);
    const type = await orRefuse(this.eventTypes.putSchema(principal.accountId, name, schema));
    return answer(allowance, 200, viewOfEventType(type));
  }

  async deleteSchema({ principal, allowance }: Call, name: string): Promise<Response> {
    const deleted = isName(name) && (await this.eventTypes.deleteSchema(principal.accountId, name));
    if (!deleted) throw notFound("This event type has no schema");
    return answer(allowance, 200, { deleted: true });
  }
}

async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof InvalidSchema) throw badRequest(`schema ${error.flaw}`);
    if (error instanceof TooManySchemas) throw forbidden(error.message);
    throw error;
  }
}

function isName(name: string): boolean {
  return nameFlaw(name) === null;
}

/** The router puts a replacement character where a path is not UTF-8. */
function nameFlaw(name: string): string | null {
  return name.includes("\ufffd") ? "must be percent-encoded UTF-8" : eventFlaw(name);
}

/** Version and kind, so that no other list's cursor is taken for one of these. */
const CURSOR_KIND = "1t ";

function formatCursor(name: string): string {
  return Buffer.from(CURSOR_KIND + name).toString("base64url");
}

function parseCursor(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  const text = Buffer.from(token, "base64url").toString();
  const name = text.slice(CURSOR_KIND.length);
  const isOurs = text.startsWith(CURSOR_KIND) && eventFlaw(name) === null && formatCursor(name) === token;
  if (!isOurs) throw badRequest("cursor is not one that an answer carried");
  return name;
}
