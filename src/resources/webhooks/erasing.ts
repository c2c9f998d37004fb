import { Type } from "@sinclair/typebox";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import { named } from "../../api/openapi/schema";
import type { Thawing } from "../../cold/thawing";
import { type Database, untilNoDeadlock } from "../../db/database";
import type { TransactionSql } from "../../db/pool";
import { type Erased, erasePayloads } from "../../deliveries/erasure";
import type { DeliveryId, EventId } from "../../domain/ids";

export const ERASED = {
  status: 200,
  description: "The payload is erased.",
  schema: named("ErasedPayload", Type.Object({ erased: Type.Boolean() })),
  example: { erased: true },
} as const;

export type ErasingOptions = {
  db: Database;
  /** Null if all payloads are in Postgres. */
  thawing: Thawing | null;
  /** Makes dispatchers read the queues again, and removes erased payloads from the stream. */
  afterErasure(erased: Erased): void;
};

/** Erases the payload of a delivery or an event, which `find` returns within the transaction. */
export async function erase(
  { db, thawing, afterErasure }: ErasingOptions,
  { principal: { accountId }, allowance }: Call,
  find: (sql: TransactionSql) => Promise<DeliveryId | EventId>,
): Promise<Response> {
  const erased = await untilNoDeadlock(() =>
    db.transaction(async (sql) => erasePayloads(sql, accountId, [await find(sql)], thawing)),
  );
  afterErasure(erased);
  return answer(allowance, 200, { erased: true });
}
