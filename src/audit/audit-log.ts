import { and, desc, eq, gte, lt, lte } from "drizzle-orm";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import { auditLog } from "../db/schema";
import { typed } from "../db/typed";
import type { AuditEntry } from "../domain/audit-entry";
import { type AccountId, type AuditId, type KeyId, leastIdAt, newId } from "../domain/ids";

export type AuditFilter = {
  accountId?: AccountId | undefined;
  keyId?: KeyId | undefined;
  person?: string | undefined;
  operation?: string | undefined;
  target?: string | undefined;
  /** Unix milliseconds, inclusive. */
  from?: number | undefined;
  /** Unix milliseconds, exclusive. */
  before?: number | undefined;
};

/** Stores changes with their actors. Every method throws `DatabaseUnavailable`. */
export class AuditLog {
  constructor(private readonly db: Database) {}

  async write(entry: Omit<AuditEntry, "id">): Promise<void> {
    await this.db.run((sql) =>
      typed(sql)
        .insert(auditLog)
        .values({ ...entry, id: newId("aud") }),
    );
  }

  /** Reads a page, newest first. */
  async page(filter: AuditFilter, { limit, beyond }: PageRequest<AuditId>): Promise<AuditEntry[]> {
    const { accountId, keyId, person, operation, target, from, before } = filter;
    const those = and(
      accountId && eq(auditLog.accountId, accountId),
      keyId && eq(auditLog.keyId, keyId),
      person === undefined
        ? undefined
        : and(eq(auditLog.actorKind, "person"), eq(auditLog.actorName, person)),
      operation === undefined ? undefined : eq(auditLog.operation, operation),
      target === undefined ? undefined : eq(auditLog.target, target),
      from === undefined ? undefined : gte(auditLog.id, leastIdAt(from) as AuditId),
      before === undefined ? undefined : lt(auditLog.id, leastIdAt(before) as AuditId),
      beyond && lt(auditLog.id, beyond),
    );
    const found = await this.db.run((sql) =>
      typed(sql).select().from(auditLog).where(those).orderBy(desc(auditLog.id)).limit(limit),
    );
    return found as AuditEntry[];
  }

  /** Deletes entries older than `now - keptMs`. */
  async deleteExpired(now: number, keptMs: number): Promise<void> {
    const oldest = leastIdAt(now - keptMs) as AuditId;
    await this.db.run((sql) => typed(sql).delete(auditLog).where(lte(auditLog.id, oldest)));
  }
}
