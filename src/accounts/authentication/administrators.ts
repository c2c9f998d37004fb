import type { Database } from "../../db/database";
import { permissionsOf } from "../../domain/permission";
import { ROLES } from "../../domain/role";
import type { Clock } from "../../runtime/clock";
import type { ApiKeys } from "../api-keys";
import { KeyUse } from "./authenticator";
import { KeyLookup } from "./key-lookup";
import { SessionLookup } from "./session-lookup";
import type { Voucher } from "./voucher";

export type AdministratorsOptions = Readonly<{
  db: Database;
  clock: Clock;
  apiKeys: Pick<ApiKeys, "nameOf">;
}>;

/** Finds the keys and console sessions of this cell that may act for all accounts, so that other cells admit them as well. */
export class Administrators {
  private readonly keys: KeyLookup;
  private readonly sessions: SessionLookup;
  private readonly use: KeyUse;

  constructor(private readonly options: AdministratorsOptions) {
    const { db, clock } = options;
    this.keys = new KeyLookup(db);
    this.sessions = new SessionLookup(db);
    this.use = new KeyUse(db, clock);
  }

  /**
   * Returns the administrator whose token has this hash (hexadecimal), uncached; null for other tokens. Notes the use of its key.
   * Throws `DatabaseUnavailable` and `QueueFull`.
   */
  async find(hash: string): Promise<Voucher | null> {
    const found = (await this.ofKey(hash)) ?? (await this.ofSession(hash));
    if (found === null || !permissionsOf(found.permissions).has("accounts:act")) return null;
    const now = this.options.clock.now();
    if (found.expiresAt !== null && now >= found.expiresAt) return null;
    if (found.keyId === null) return { ...found, keyName: null };
    this.use.note(found.keyId, now);
    return { ...found, keyName: await this.options.apiKeys.nameOf(found.keyId) };
  }

  /** Writes the uses that are not written yet. */
  close(): Promise<void> {
    return this.use.flush();
  }

  private async ofKey(hash: string): Promise<UnnamedVoucher | null> {
    const row = await this.keys.find(hash);
    if (row === null || row.endpointId !== null) return null;
    const { accountId, keyId, permissions, expiresAt, plan, requestsPerMinute } = row;
    return { accountId, keyId, permissions, expiresAt, plan, requestsPerMinute, session: null };
  }

  private async ofSession(hash: string): Promise<UnnamedVoucher | null> {
    const found = await this.sessions.find(hash);
    if (found === null || found.portal !== null) return null;
    const { accountId, keyId, keyExpiresAt: expiresAt, plan, requestsPerMinute, id, endsAt, person } = found;
    const permissions = person ? [...ROLES[person.role]] : (found.permissions ?? []);
    const session = { id, endsAt, person };
    return { accountId, keyId, permissions, expiresAt, plan, requestsPerMinute, session };
  }
}

type UnnamedVoucher = Omit<Voucher, "keyName">;
