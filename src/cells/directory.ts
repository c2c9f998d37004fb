import type { DirectoryMeter } from "../metrics/directory-meter";
import { BoundedMap } from "../runtime/bounded-map";
import type { Clock } from "../runtime/clock";
import { Batcher } from "../runtime/queues/batcher";
import type { StreamConnection } from "../stream/connection";
import type { CellBucket } from "./bucket";
import type { KnownReferences } from "./known-here";
import { askCell, MOST_ASKED } from "./questions";
import { type CellReference, keyOf } from "./reference";

/** Where a reference leads. `everywhere`: to each cell, such as the admin key. `unsure`: a cell that may have it does not answer. */
export type Whereabouts =
  | Readonly<{ kind: "cell"; name: string }>
  | Readonly<{ kind: "everywhere" }>
  | Readonly<{ kind: "nowhere" }>
  | Readonly<{ kind: "unsure" }>;

export type CellDirectoryOptions = Readonly<{
  connection: StreamConnection;
  bucket: CellBucket;
  /** The names of all cells. */
  cells: readonly string[];
  /** The cell of this process; null for a router. */
  own: string | null;
  /** Null, the default, to measure nothing. */
  meter?: Pick<DirectoryMeter, "asked"> | null;
  clock: Clock;
}>;

type AskedReference = Readonly<{
  reference: CellReference;
  asker: string;
  /** Called as soon as one cell has it, while others may be silent. */
  found(whereabouts: Whereabouts): void;
}>;

/** Most references whose cell a process remembers. */
export const MOST_REMEMBERED = 100_000;
/** "Nowhere" and "everywhere" are trusted for this long. */
export const BRIEFLY_MS = 1_000;
const MOST_BRIEFLY = 10_000;
/** A cell that hangs is not asked again for this long, so that questions don't wait for it one by one. */
export const SILENT_MS = 2_000;
/** Most questions at a time, and most references that wait for one. Strangers' keys can't cause more. */
export const QUESTIONS = { atOnce: 2, mostWaiting: 10_000 };

const NOWHERE: Whereabouts = { kind: "nowhere" };
const EVERYWHERE: Whereabouts = { kind: "everywhere" };
const UNSURE: Whereabouts = { kind: "unsure" };

/**
 * Finds the cell of a token or an account: in memory, in the bucket, or by asking the cells, whose Postgres is the truth. An answer
 * goes into the bucket, so a lost bucket fills itself again. All of it is a hint: a cell that lacks an account says so itself.
 */
export class CellDirectory {
  private readonly remembered = new BoundedMap<string, string>(MOST_REMEMBERED);
  private readonly brief = new BoundedMap<string, { whereabouts: Whereabouts; until: number }>(MOST_BRIEFLY);
  private readonly silentUntil = new Map<string, number>();
  private readonly questions: Batcher<AskedReference, Whereabouts>;

  /** Number of references whose cell this process remembers. */
  get size(): number {
    return this.remembered.size;
  }

  constructor(private readonly options: CellDirectoryOptions) {
    this.questions = new Batcher({
      run: (asked) => this.askAll(asked),
      ownerOf: ({ asker }) => asker,
      maxItems: MOST_ASKED,
      maxRunning: QUESTIONS.atOnce,
      maxQueued: QUESTIONS.mostWaiting,
    });
  }

  /** A cell asks only for what it lacks, so it ignores hints to itself. Askers take turns. Throws `QueueFull`. */
  async find(reference: CellReference, asker = ""): Promise<Whereabouts> {
    const key = keyOf(reference);
    const name = this.usable(this.remembered.get(key)) ?? this.usable(await this.hintOf(key));
    if (name !== null) {
      this.remembered.set(key, name);
      return { kind: "cell", name };
    }
    const recent = this.brief.get(key);
    const isFresh = recent !== undefined && this.options.clock.monotonic() < recent.until;
    return isFresh ? recent.whereabouts : this.ask(reference, asker);
  }

  /** Forgets a cell that does not have the reference. The one that found its home has corrected the bucket. */
  forget(reference: CellReference): void {
    this.remembered.delete(keyOf(reference));
    this.brief.delete(keyOf(reference));
  }

  /** Asks the cells, except for the own one. Throws `QueueFull`. */
  ask(reference: CellReference, asker = ""): Promise<Whereabouts> {
    return new Promise((resolve, reject) => {
      this.questions.submit({ reference, asker, found: resolve }).then(resolve, reject);
    });
  }

  private usable(cell: string | null | undefined): string | null {
    const { cells, own } = this.options;
    return cell && cell !== own && cells.includes(cell) ? cell : null;
  }

  private async hintOf(key: string): Promise<string | null> {
    const entry = await this.options.bucket.get(key).catch(() => null);
    return entry?.string() ?? null;
  }

  private async askAll(asked: readonly AskedReference[]): Promise<Whereabouts[]> {
    const { cells, own } = this.options;
    const others = cells.filter((cell) => cell !== own);
    const answers = await Promise.all(others.map((cell) => this.askOne(cell, asked)));
    const everywhere = new Set(answers.flatMap((answer) => answer?.everywhere ?? []));
    const held = new Map(others.flatMap((cell, i) => (answers[i]?.here ?? []).map((key) => [key, cell])));
    return asked.map(({ reference }) => {
      const name = held.get(keyOf(reference));
      if (name !== undefined) return { kind: "cell", name };
      if (everywhere.has(keyOf(reference))) return this.noteBriefly(reference, EVERYWHERE);
      return answers.includes(null) ? UNSURE : this.noteBriefly(reference, NOWHERE);
    });
  }

  /** Returns null for a cell that is silent. Notes what it has at once. */
  private async askOne(cell: string, asked: readonly AskedReference[]): Promise<KnownReferences | null> {
    const { connection, clock, meter = null } = this.options;
    const nats = connection.live;
    if (nats === null || clock.monotonic() < (this.silentUntil.get(cell) ?? 0)) return null;
    const references = asked.map(({ reference }) => reference);
    const answer = await askCell(nats, cell, references).catch(() => {
      this.silentUntil.set(cell, clock.monotonic() + SILENT_MS);
      return null;
    });
    meter?.asked(cell, answer === null ? "silent" : "answered");
    const here = new Set(answer?.here);
    for (const { reference, found } of asked)
      if (here.has(keyOf(reference))) found(this.noteCell(reference, cell));
    return answer;
  }

  private noteBriefly(reference: CellReference, whereabouts: Whereabouts): Whereabouts {
    const until = this.options.clock.monotonic() + BRIEFLY_MS;
    this.brief.set(keyOf(reference), { whereabouts, until });
    return whereabouts;
  }

  private noteCell(reference: CellReference, name: string): Whereabouts {
    this.remembered.set(keyOf(reference), name);
    const isKept = reference.kind === "account" || !reference.isSession;
    if (isKept) this.options.bucket.put(keyOf(reference), name).catch(() => {});
    return { kind: "cell", name };
  }
}
