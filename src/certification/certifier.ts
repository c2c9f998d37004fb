import type { Exchanger } from "../attempt/exchanger";
import type { Database } from "../db/database";
import { type EndpointColumns, endpointColumns, type OpenSecret, viewOf } from "../dispatch/endpoint";
import type { AccountId, EndpointId } from "../domain/ids";
import { MESSAGE_FORMATS } from "../domain/tuning";
import { type CheckResult, judgeReceiver } from "./report";
import { runTrials, type TrialRunOptions, type TriedEndpoint } from "./trial-run";

/** Most certifications at a time, in a process. */
export const CERTIFICATIONS_AT_ONCE = 8;

export type CertifierOptions = TrialRunOptions &
  Readonly<{ db: Database; openSecret: OpenSecret; exchanger: Pick<Exchanger, "exchange" | "close"> }>;

/** Why an endpoint is not certified. `no_verifier`: messages for people go there, or its receiver reads. */
type NotCertified = "unknown" | "no_verifier" | "under_way" | "busy" | "own_failure";

export type Certified =
  | Readonly<{ kind: "certified"; startedAt: number; durationMs: number; results: readonly CheckResult[] }>
  | Readonly<{ kind: NotCertified }>;

type FoundEndpoint = TriedEndpoint & { kind: "found"; hasDeliveries: boolean };

/**
 * Sends trials to an endpoint's receiver, and judges it by its answers. Trials are no deliveries: nothing is recorded, and neither
 * sequence nor health changes.
 */
export class Certifier {
  private readonly underWay = new Set<EndpointId>();

  constructor(private readonly options: CertifierOptions) {}

  /** `hops`: the number of deliveries that led to the request. Throws `DatabaseUnavailable`. */
  async certify(accountId: AccountId, id: EndpointId, hops: number): Promise<Certified> {
    if (this.underWay.has(id)) return { kind: "under_way" };
    if (this.underWay.size >= CERTIFICATIONS_AT_ONCE) return { kind: "busy" };
    this.underWay.add(id);
    try {
      const found = await this.find(accountId, id);
      return found.kind === "found" ? await this.judge(found, hops) : found;
    } finally {
      this.underWay.delete(id);
    }
  }

  close(): void {
    this.options.exchanger.close();
  }

  private async find(
    accountId: AccountId,
    endpointId: EndpointId,
  ): Promise<FoundEndpoint | Readonly<{ kind: NotCertified }>> {
    const { db, openSecret } = this.options;
    const [row] = await db.run(
      (sql) => sql<EndpointColumns[]>`
        select ${endpointColumns(sql)} from endpoints e join mailboxes m on m.endpoint_id = e.id
        where e.id = ${endpointId} and e.account_id = ${accountId} and e.deleted_at is null
      `,
    );
    if (row === undefined) return { kind: "unknown" };
    const { url, format, lastSequence } = row;
    if (url === null || MESSAGE_FORMATS.some((each) => each === format)) return { kind: "no_verifier" };
    const view = viewOf({ ...row, url }, openSecret);
    return { kind: "found", accountId, endpointId, view, hasDeliveries: lastSequence > 0 };
  }

  private async judge({ hasDeliveries, ...endpoint }: FoundEndpoint, hops: number): Promise<Certified> {
    const { clock } = this.options;
    const startedAt = clock.now();
    const began = clock.monotonic();
    const answers = await runTrials(this.options, endpoint, hops);
    if (answers === "own_failure") return { kind: answers };
    const results = judgeReceiver({ url: endpoint.view.url, hasDeliveries, answers });
    return { kind: "certified", startedAt, durationMs: Math.round(clock.monotonic() - began), results };
  }
}
