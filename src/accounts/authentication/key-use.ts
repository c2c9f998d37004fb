import type { Database } from "../../db/database";
import { arrayOf } from "../../db/sql/arrays";
import type { KeyId } from "../../domain/ids";
import type { Clock } from "../../runtime/clock";

/** A key's use is noted at most once in this time. */
export const USE_RESOLUTION_MS = 60_000;
/** Uses are written together, this long after the first. */
const FLUSH_AFTER_MS = 5_000;

/** Records the last use of keys, exact to a minute. Requests do not wait for it. */
export class KeyUse {
  private readonly notes = new Map<KeyId, number>();
  private cancelFlush: (() => void) | null = null;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  note(keyId: KeyId, now: number): void {
    this.notes.set(keyId, now);
    this.cancelFlush ??= this.clock.after(FLUSH_AFTER_MS, () => {
      this.flush();
    });
  }

  /** Writes the noted uses. Resolves also if that fails, since nothing depends on them. */
  flush(): Promise<void> {
    this.cancelFlush?.();
    this.cancelFlush = null;
    const notes = [...this.notes];
    this.notes.clear();
    if (notes.length > 0) this.flushing = this.flushing.then(() => this.write(notes)).catch(() => {});
    return this.flushing;
  }

  // Skips rows that other processes have locked: they note the same keys, and waiting could deadlock.
  private async write(notes: readonly (readonly [KeyId, number])[]): Promise<void> {
    await this.db.run(
      (sql) => sql`
        with due as (
          select k.id, n.at
          from unnest(
            ${arrayOf(notes.map(([id]) => id))}::uuid[],
            ${arrayOf(notes.map(([, at]) => at))}::float8[]
          ) as n(id, at)
          join api_keys k on k.id = n.id
          where k.last_used_at is null or k.last_used_at < to_timestamp(n.at / 1000)
          for no key update of k skip locked
        )
        update api_keys k set last_used_at = to_timestamp(due.at / 1000) from due where k.id = due.id
      `,
    );
  }
}
