import type { Database } from "../db/database";
import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import { FreshCache } from "../runtime/fresh-cache";
import type { AccountId } from "../runtime/ids";
import { messageOf } from "../runtime/message-of";
import { Effort, MAX_COMPILED_BYTES, TOO_MUCH_TOGETHER } from "./effort";
import { compileSchema, type PayloadSchema } from "./payload-schema";
import type { JsonSchema } from "./schema-compiler";
import { SchemaLookup, type SchemaVersions } from "./schema-lookup";
import { SchemaTurns } from "./schema-turns";

/** How long it is trusted which schemas an account has. */
const TRUST_MS = 2_000;
const REFRESH_AFTER_MS = 1_000;
const MAX_ACCOUNTS = 50_000;
type Verdict = string | null | Promise<string | null>;
type Payload = { accountId: AccountId; event: string; data: unknown; effort: Effort };
type Compiled = { version: string; schema: PayloadSchema };

/** Keeps payloads out that do not match their event type's schema. */
export class SchemaGate {
  private readonly lookup: SchemaLookup;
  private readonly accounts: FreshCache<AccountId, null, SchemaVersions>;
  /** In the order of use. */
  private readonly compiled = new BoundedMap<string, Compiled>(
    MAX_COMPILED_BYTES,
    (each) => each.schema.weight,
  );

  /** By key and version. */
  private readonly preparing = new Map<string, Promise<PayloadSchema | null>>();

  constructor(
    db: Database,
    clock: Clock,
    private readonly turns = new SchemaTurns(),
  ) {
    this.lookup = new SchemaLookup(db);
    this.accounts = new FreshCache({
      clock,
      read: (accountId) => this.lookup.versions(accountId),
      trustMs: TRUST_MS,
      refreshAfterMs: REFRESH_AFTER_MS,
      maxEntries: MAX_ACCOUNTS,
    });
  }

  /**
   * Null for data that may pass, else what is wrong with it. The answer is a promise only when something must
   * be read first. What it takes is taken from the effort, which the payloads of a request share. Throws
   * `DatabaseUnavailable` and `QueueFull`.
   */
  check(accountId: AccountId, event: string | null, data: unknown, effort = new Effort()): Verdict {
    if (event === null) return null;
    const payload = { accountId, event, data, effort };
    const versions = this.accounts.fresh(accountId, null);
    if (versions !== undefined) return this.judge(versions, payload);
    return this.accounts.load(accountId, null).then((read) => this.judge(read, payload));
  }

  /** Reads the account's schemas anew: for changes that this process made itself. */
  forget(accountId: AccountId): void {
    this.accounts.forget(accountId);
  }

  private judge(versions: SchemaVersions, payload: Payload): Verdict {
    const version = versions.get(payload.event);
    if (version === undefined) return null;
    const key = `${payload.accountId}/${payload.event}`;
    const compiled = this.compiled.get(key);
    if (compiled?.version !== version) return this.judgeByNew(key, version, payload);
    this.compiled.set(key, compiled);
    return compiled.schema.validate(payload.data, payload.effort);
  }

  private async judgeByNew(key: string, version: string, payload: Payload): Promise<string | null> {
    const { data, effort } = payload;
    if (effort.compiled <= 0) return TOO_MUCH_TOGETHER;
    const schema = await this.ready(key, version, payload);
    return schema === null ? null : schema.validate(data, effort);
  }

  /** A burst of payloads has the schema read and compiled once for all; it counts for the first of them. */
  private ready(key: string, version: string, payload: Payload): Promise<PayloadSchema | null> {
    const name = `${key} ${version}`;
    const known = this.preparing.get(name);
    if (known) return known;
    const prepared = this.prepare(key, payload).finally(() => this.preparing.delete(name));
    this.preparing.set(name, prepared);
    return prepared;
  }

  private async prepare(key: string, { accountId, event, effort }: Payload): Promise<PayloadSchema | null> {
    const found = await this.lookup.schema(accountId, event);
    if (found === null) return null;
    // What is known of the versions may be older than what was read.
    const kept = this.compiled.get(key);
    if (kept?.version === found.version) return kept.schema;
    const schema = await this.turns.take(accountId, () => compileStored(found.schema));
    this.compiled.set(key, { version: found.version, schema });
    effort.compiled -= schema.weight;
    return schema;
  }
}

/** A schema of an earlier version, which had other limits, may be none now: then nothing matches it. */
function compileStored(schema: JsonSchema): PayloadSchema {
  try {
    return compileSchema(schema);
  } catch (error) {
    const reason = `the schema of this event type ${messageOf(error)}`;
    return { validate: () => reason, weight: reason.length };
  }
}
