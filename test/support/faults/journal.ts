export type FaultKind =
  /** Deliveries in flight may be sent again. Also an outage of Postgres that outlasts a lease. */
  | "crash"
  /**
   * A process was suspended. A request that it was about to send under a valid lease goes out when it goes on, and may then
   * follow a newer one. No sender can rule that out.
   */
  | "stall"
  /** Nothing that receivers may notice. */
  | "nuisance";

/** A fault that a test caused. Times are Unix milliseconds. */
export type Fault = Readonly<{
  what: string;
  from: number;
  /** When its effect ended. Null while it lasts. */
  to: number | null;
  kind: FaultKind;
}>;

/** Lists the faults of a run in the order in which they began. Only they excuse a repeat. */
export class Journal {
  private readonly entries: { what: string; kind: FaultKind; from: number; to: number | null }[] = [];

  get faults(): readonly Fault[] {
    return this.entries;
  }

  /** Records a fault that begins now. The returned function records its end. */
  begin(what: string, kind: FaultKind): () => void {
    const entry = { what, kind, from: Date.now(), to: null as number | null };
    this.entries.push(entry);
    return () => {
      entry.to ??= Date.now();
    };
  }
}
