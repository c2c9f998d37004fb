import {
  Hermod,
  HermodError,
  HermodUnreachable,
  rawJson,
  verify,
  WebhookVerificationError,
} from "../../src/client";
import { isWrittenNumber, parseExactly } from "../../src/runtime/text/exact-json";
import { resolved } from "../../test/clients/conformance";

// Runs the cases of cases.json with the TypeScript client, and prints what came of each step.

type Call = { ids?: string[]; input?: Record<string, unknown>; raw?: Record<string, string>; key?: string };
type Step = Call & {
  call?: string;
  each?: string;
  follow?: string;
  receive?: string;
  verify?: { body: string; headers: Record<string, string>; secrets: string[] };
  take?: number;
  limit?: number;
  waits?: boolean;
  fail?: string;
  save?: string;
};
type Case = {
  name: string;
  url: string;
  key: string;
  client: { account?: string; maxRetries?: number; timeoutMs?: number };
  steps: Step[];
};
type Method = (...given: unknown[]) => unknown;
type Input = Record<string, unknown>;

/** Methods that take their input in another form than in other languages. */
const OWN_INPUT: Record<string, (input: Input) => unknown> = {
  "webhooks.sendMany": ({ webhooks }) => webhooks,
  "events.publishMany": ({ events }) => events,
  "eventTypes.putSchema": ({ schema }) => schema,
};

for (const each of parseExactly(await Bun.stdin.text()) as Case[]) {
  const hermod = new Hermod({ url: each.url, key: each.key, ...each.client, parse: parseExactly });
  const saved: Record<string, unknown> = {};
  const outcomes: unknown[] = [];
  for (const step of each.steps)
    try {
      const value = await run(hermod, resolved({ ...step, expect: null }, saved) as Step);
      saved[step.save ?? ""] = value;
      outcomes.push({ value });
    } catch (error) {
      outcomes.push({ error: failureOf(error) });
    }
  console.log(JSON.stringify({ name: each.name, outcomes }));
}
process.exit(0);

async function run(hermod: Hermod, step: Step): Promise<unknown> {
  const { call, each, follow, receive, take = Number.POSITIVE_INFINITY } = step;
  if (call !== undefined) {
    // Numbered pages have a method of their own.
    const name = call === "webhooks.list" && step.input?.page !== undefined ? "webhooks.page" : call;
    return methodOf(hermod, name)(...argumentsOf(step, OWN_INPUT[name]));
  }
  if (each !== undefined) {
    const items = methodOf(hermod, each)(...argumentsOf(step)) as AsyncIterable<unknown>;
    return taken(items, take, (item) => item);
  }
  if (follow !== undefined) return taken(hermod.webhooks.follow({}, { from: follow }), take, (item) => item);
  if (receive !== undefined) {
    const { limit = 100, waits = false, fail } = step;
    return taken(hermod.receive(receive, { limit, untilEmpty: !waits }), take, (event) => {
      if (fail !== undefined) event.fail(fail);
      return { sequence: event.sequence, data: event.data, attempt: event.attempt };
    });
  }
  if (!step.verify) throw new Error(`unknown step ${JSON.stringify(step)}`);
  const { body, headers, secrets } = step.verify;
  const { orderingKey, ...webhook } = verify(body, headers, secrets);
  return { ...webhook, ordering_key: orderingKey, data: parseExactly(body) };
}

function methodOf(hermod: Hermod, name: string): Method {
  const [resource = "", method] = name.split(".");
  const found = hermod as unknown as Record<string, Method & Record<string, Method>>;
  const made = method === undefined ? found[resource] : found[resource]?.[method];
  if (!made) throw new Error(`the client has no ${name}`);
  return made.bind(method === undefined ? hermod : found[resource]);
}

/** The ids, then the query or body if there is one, then the options. */
function argumentsOf(
  { ids = [], input, raw = {}, key }: Call,
  own = (all: Input): unknown => all,
): unknown[] {
  const texts = Object.entries(raw).map(([name, text]) => [name, rawJson(text)]);
  const given = input && { ...exactIn(input), ...Object.fromEntries(texts) };
  const { data } = given ?? {};
  const isQuery = given && !("endpoint_id" in given) && !("event" in given) && typeof data === "object";
  const flat = isQuery ? flatData(given) : given;
  return [...ids, ...(flat ? [own(flat)] : []), ...(key === undefined ? [] : [{ idempotencyKey: key }])];
}

/** A query has the fields of the payload under names of their own. */
function flatData({ data, ...query }: Record<string, unknown>): Record<string, unknown> {
  const named = Object.entries(data as Record<string, unknown>).map(([name, value]) => [
    `data.${name}`,
    value,
  ]);
  return { ...query, ...Object.fromEntries(named) };
}

/** Has payloads with exact numbers as raw texts. */
function exactIn(input: Record<string, unknown>): Record<string, unknown> {
  const isExact = (value: unknown): boolean =>
    isWrittenNumber(value) ||
    (typeof value === "object" && value !== null && Object.values(value).some(isExact));
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      name === "data" && isExact(value) ? rawJson(JSON.stringify(value)) : value,
    ]),
  );
}

async function taken<Item>(items: AsyncIterable<Item>, most: number, of: (item: Item) => unknown) {
  const found: unknown[] = [];
  for await (const item of items) if (found.push(of(item)) >= most) break;
  return found;
}

function failureOf(error: unknown): object {
  if (error instanceof HermodError) {
    const { status, code, retryAfter, requestId } = error;
    return { kind: "refused", status, code, retryAfter, hasRequestId: requestId !== null };
  }
  if (error instanceof HermodUnreachable) return { kind: "unreachable" };
  if (error instanceof WebhookVerificationError) return { kind: "verification" };
  return { kind: error instanceof TypeError ? "argument" : "broken", message: String(error) };
}
