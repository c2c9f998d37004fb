import { inArray } from "drizzle-orm";
import type { Database } from "../db/database";
import { endpoints } from "../db/schema";
import { typed } from "../db/typed";
import type { EndpointId } from "../domain/ids";

/** What people call an endpoint by. `url` is null if its receiver reads its deliveries. */
export type EndpointAddress = Readonly<{ url: string | null; description: string | null }>;

/** Returns the addresses of endpoints of any account, deleted ones too. */
export async function addressesOf(
  db: Database,
  ids: readonly EndpointId[],
): Promise<ReadonlyMap<EndpointId, EndpointAddress>> {
  const { id, url, description } = endpoints;
  const isOne = inArray(id, [...new Set(ids)]);
  const found = await db.run((sql) =>
    typed(sql).select({ id, url, description }).from(endpoints).where(isOne),
  );
  return new Map(found.map((each) => [each.id, each]));
}
