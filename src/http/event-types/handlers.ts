import { type EventTypes, InvalidSchema, TooManySchemas } from "../../event-types/event-type";
import { answer } from "../answer";
import type { Call } from "../call";
import { type CursorFormat, cursorPage } from "../cursor-page";
import { badRequest, forbidden, notFound } from "../errors";
import { bodyReader, readJsonBytes } from "../json-body";
import { eventFlaw } from "../webhooks/event-name";
import { PutSchema, viewOfEventType } from "./model";

// A schema's own texts, such as descriptions, are its author's business.
const readPut = bodyReader(PutSchema, { untouched: ["schema"] });

/** What was sent, and the schemas payloads must match. */
export class EventTypeHandlers {
  constructor(private readonly eventTypes: EventTypes) {}

  async list({ principal, allowance }: Call, url: string): Promise<Response> {
    const page = await cursorPage(url, {
      format: nameCursor,
      keyOf: ({ name }) => name,
      read: (limit, after) => this.eventTypes.list(principal.accountId, { limit, after }),
      view: viewOfEventType,
    });
    return answer(allowance, 200, page);
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

const nameCursor: CursorFormat<string> = {
  write: (name) => Buffer.from(CURSOR_KIND + name).toString("base64url"),
  read: (token) => {
    const text = Buffer.from(token, "base64url").toString();
    const name = text.slice(CURSOR_KIND.length);
    const isOurs =
      text.startsWith(CURSOR_KIND) && eventFlaw(name) === null && nameCursor.write(name) === token;
    return isOurs ? name : null;
  },
};
