import type { Hermod } from "../client";

/** Reads the latest payloads of an event type that are kept. */
export async function keptPayloads(hermod: Hermod, event: string, limit: number): Promise<unknown[]> {
  const { data } = await hermod.webhooks.list({ event_type: event, limit });
  const kept = await Promise.all(data.map(({ id }) => hermod.webhooks.get(id)));
  return kept.flatMap((each) => (each.data == null ? [] : [each.data]));
}
