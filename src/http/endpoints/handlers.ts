import type { Endpoint, Endpoints } from "../../endpoints/endpoint";
import { ALL_EVENTS, type EventFilter, parseEventFilter } from "../../endpoints/event-filter";
import { DEFAULT_OVERLAP_S } from "../../endpoints/secret-rotation";
import { GIVEN_SECRET_BYTES, isSigningSecret } from "../../endpoints/signing-secret";
import type { Clock } from "../../runtime/clock";
import type { EndpointId } from "../../runtime/ids";
import { acceptOne } from "../accepting";
import { answer } from "../answer";
import type { Call } from "../call";
import { type CursorList, cursorPage } from "../cursor-page";
import type { Cursors } from "../cursors";
import { DELETED } from "../deletion";
import type { CheckUrl } from "../dependencies";
import { badRequest } from "../errors";
import { bodyReader } from "../json-body";
import { idInPath, noSuch } from "../path-id";
import { created, type Posting } from "../posting";
import { Query } from "../query";
import type { SendingOptions } from "../webhooks/sending";
import { answerWhole } from "../whole-list";
import { checkedHeaders } from "./headers";
import { CreateEndpoint, RotateSecret, UpdateEndpoint, viewOfEndpoint, viewOfRotation } from "./model";
import { viewOfEndpointStats } from "./stats";
import { testing } from "./test-event";
import { readTuning } from "./tuning";

export type EndpointOptions = SendingOptions & {
  clock: Clock;
  endpoints: Endpoints;
  posting: Posting;
  cursors: Cursors;
  checkUrl: CheckUrl;
};

const readCreate = bodyReader(CreateEndpoint);
const readUpdate = bodyReader(UpdateEndpoint);
const readRotate = bodyReader(RotateSecret);

export class EndpointHandlers {
  constructor(private readonly options: EndpointOptions) {}

  async list({ principal, allowance }: Call, request: Request): Promise<Response> {
    const { accountId } = principal;
    const { endpoints, cursors } = this.options;
    const query = new Query(request.url, ["limit", "cursor"]);
    const list: CursorList<Endpoint, EndpointId> = {
      cursors: cursors.of("endpoints", accountId),
      keyOf: ({ id }) => id,
      read: (asked) => endpoints.page(accountId, asked),
      view: viewOfEndpoint,
    };
    if (!query.has("limit") && !query.has("cursor")) return answerWhole(allowance, list);
    return answer(allowance, 200, await cursorPage(request.url, list));
  }

  create(call: Call, request: Request): Promise<Response> {
    return this.options.posting.handle(call, request, (bytes) => {
      const { url, description, event_filter, feed, headers, signing_secret, ...tuning } = readCreate(bytes);
      const wanted = {
        url: this.checkedUrl(url),
        description: description ?? null,
        eventFilter: event_filter === undefined ? ALL_EVENTS : filterIn(event_filter),
        feed: feed ?? false,
        headers: checkedHeaders(headers ?? {}),
        tuning: readTuning(tuning),
        signingSecret: checkedSecret(signing_secret),
      };
      return async (sql) => {
        const { accountId } = call.principal;
        const { endpoint, signingSecret } = await this.options.endpoints.create(sql, accountId, wanted);
        return created({ ...viewOfEndpoint(endpoint), signing_secret: signingSecret });
      };
    });
  }

  async get({ principal, allowance }: Call, id: string): Promise<Response> {
    const endpoint = await this.options.endpoints.get(principal.accountId, idInPath("ep", id));
    if (endpoint === null) throw noSuch("ep");
    return answer(allowance, 200, viewOfEndpoint(endpoint));
  }

  async update({ principal, allowance, body: bytes }: Call, id: string): Promise<Response> {
    const body = readUpdate(bytes);
    const endpoint = await this.options.endpoints.update(principal.accountId, idInPath("ep", id), {
      url: body.url === undefined ? undefined : this.checkedUrl(body.url),
      description: body.description,
      eventFilter: body.event_filter === undefined ? undefined : filterIn(body.event_filter),
      isActive: body.is_active,
      feed: body.feed,
      headers: body.headers === undefined ? undefined : checkedHeaders(body.headers ?? {}),
      ...readTuning(body),
    });
    if (endpoint === null) throw noSuch("ep");
    return answer(allowance, 200, viewOfEndpoint(endpoint));
  }

  rotateSecret(call: Call, text: string, request: Request): Promise<Response> {
    const { endpoints, posting } = this.options;
    return posting.handle(call, request, (bytes) => {
      const { overlap = DEFAULT_OVERLAP_S, signing_secret } = bytes.length === 0 ? {} : readRotate(bytes);
      const wanted = { overlapMs: overlap * 1_000, signingSecret: checkedSecret(signing_secret) };
      return async (sql) => {
        const id = idInPath("ep", text);
        const rotated = await endpoints.rotateSecret(sql, call.principal.accountId, id, wanted);
        if (rotated === null) throw noSuch("ep");
        return { ...created(viewOfRotation(rotated)), announce: () => endpoints.announceChange(id) };
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

  test(call: Call, id: string, request: Request): Promise<Response> {
    return acceptOne(testing(id, call.principal, this.options), call, request);
  }

  private checkedUrl(text: string): string {
    const verdict = this.options.checkUrl(text);
    if (!verdict.ok) throw badRequest(verdict.reason);
    // A bare origin stays as it was written; the slash that normalizing adds changes nothing.
    return verdict.url === `${text}/` ? text : verdict.url;
  }
}

function filterIn(text: string): EventFilter {
  const parsed = parseEventFilter(text);
  if ("flaw" in parsed) throw badRequest(`event_filter ${parsed.flaw}`);
  return parsed.filter;
}

function checkedSecret(text: string | undefined): string | undefined {
  if (text === undefined || isSigningSecret(text)) return text;
  const { least, most } = GIVEN_SECRET_BYTES;
  throw badRequest(`signing_secret must be whsec_ and the base64 of ${least} to ${most} bytes`);
}
