export type FaultKind =
  /** What was in flight may be sent again. Also a Postgres that is away for longer than a lease. */
  | "crash"
  /**
   * A process was suspended. Besides, what it was just about to send, its lease checked, goes out when it goes on,
   * and may then follow something newer: no sender can rule that out.
   */
  | "stall"
  /** Nothing that receivers may see. */
  | "nuisance";

/** Something bad that was done to the service. Times are Unix milliseconds. */
export type Fault = Readonly<{
  what: string;
  from: number;
  /** When its effect was over; null while it lasts. */
  to: number | null;
  kind: FaultKind;
}>;

/** What was done to the service, in the order it happened: the only excuse for a repeat. */
export class Journal {
  private readonly entries: { what: string; kind: FaultKind; from: number; to: number | null }[] = [];

  get faults(): readonly Fault[] {
    return this.entries;
  }

  /** Notes a fault that begins now; the returned function notes its end. */
  begin(what: string, kind: FaultKind): () => void {
    const entry = { what, kind, from: Date.now(), to: null as number | null };
    this.entries.push(entry);
    return () => {
      entry.to ??= Date.now();
    };
  }
}
