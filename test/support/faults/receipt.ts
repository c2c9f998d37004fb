/** A request that a receiver got. */
export type Receipt = {
  endpoint: string;
  webhookId: string;
  sequence: number;
  attempt: number;
  orderingKey: string | null;
  body: string;
  /** True if `standardwebhooks` accepts the signature. */
  signed: boolean;
  /** When the attempt was signed, in Unix seconds. */
  signedAt: number;
  /** Unix milliseconds. */
  startedAt: number;
  endedAt: number | null;
  /** Positions in the one order of all beginnings and ends that the receivers of a run saw. */
  opened: number;
  closed: number | null;
  /** The status answered. Null if no whole answer was sent. */
  status: number | null;
};

/** Counts the most requests that were under way at a receiver at the same time. */
export function mostAtOnce(receipts: readonly Receipt[]): number {
  const besides = receipts.map(
    ({ opened }) =>
      receipts.filter((each) => each.opened <= opened && (each.closed ?? opened) > opened).length,
  );
  return Math.max(0, ...besides);
}
