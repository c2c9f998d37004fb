import { type Hermod, HermodError } from "../client";
import { keptPayloads } from "./kept-payloads";

/** A payload of an event type, and where it comes from. */
export type EventSample = Readonly<{ source: "example" | "schema" | "kept payload"; data: unknown }>;

const NOT_FOUND = 404;

/** Finds a payload of an event type: its example, else one made of its schema, else the latest that is kept. Null: none is known. */
export async function sampleOf(hermod: Hermod, event: string): Promise<EventSample | null> {
  const { example, schema } = await described(hermod, event);
  if (example != null) return { source: "example", data: example };
  if (schema) return { source: "schema", data: await dataOf(schema) };
  const [data] = await keptPayloads(hermod, event, 1);
  return data === undefined ? null : { source: "kept payload", data };
}

type DescribedEvent = Readonly<{
  example?: unknown;
  schema?: Readonly<Record<string, unknown>> | null | undefined;
}>;

/** An event type need not be in the catalogue. */
async function described(hermod: Hermod, event: string): Promise<DescribedEvent> {
  try {
    return await hermod.eventTypes.get(event);
  } catch (error) {
    if (error instanceof HermodError && error.status === NOT_FOUND) return {};
    throw error;
  }
}

async function dataOf(schema: object): Promise<unknown> {
  // Loaded here, since no other command needs it.
  const { sample } = await import("@stoplight/json-schema-sampler");
  return sample(schema);
}

/** Returns a payload with another value of a field, such as `order.total`. */
export function withField(data: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const fields = data instanceof Object && !Array.isArray(data) ? data : {};
  const before = Object.hasOwn(fields, name) ? Reflect.get(fields, name) : undefined;
  return { ...fields, [name]: withField(before, rest, value) };
}
