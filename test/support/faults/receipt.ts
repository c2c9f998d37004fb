/** A request that a receiver got. */
export type Receipt = {
  endpoint: string;
  webhookId: string;
  sequence: number;
  attempt: number;
  orderingKey: string | null;
  body: string;
  /** True when `standardwebhooks` finds the signature right. */
  signed: boolean;
  /** When the attempt was signed, Unix seconds. */
  signedAt: number;
  /** Unix milliseconds. */
  startedAt: number;
  endedAt: number | null;
  /** Places in the one order of everything that the receivers of a run saw begin and end. */
  opened: number;
  closed: number | null;
  /** The status answered; null when there was no answer, or no whole one. */
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
