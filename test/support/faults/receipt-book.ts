import { Webhook } from "standardwebhooks";
import type { Receipt } from "./receipt";

/** The endpoint that a receiver belongs to, and its secret. */
export type Subscription = { endpoint: string; secret: string };

/** Records the requests of all receivers of a run in one order. */
export class ReceiptBook {
  readonly receipts: Receipt[] = [];
  private readonly webhooks = new Map<string, Webhook>();
  private ticks = 0;

  begin({ endpoint }: Subscription, headers: Headers): Receipt {
    const receipt: Receipt = {
      endpoint,
      webhookId: headers.get("webhook-id") ?? "",
      sequence: Number(headers.get("webhook-sequence")),
      attempt: Number(headers.get("webhook-attempt")),
      orderingKey: decoded(headers.get("webhook-ordering-key")),
      body: "",
      signed: false,
      signedAt: Number(headers.get("webhook-timestamp")),
      startedAt: Date.now(),
      endedAt: null,
      opened: ++this.ticks,
      closed: null,
      status: null,
    };
    this.receipts.push(receipt);
    return receipt;
  }

  /** Records that the body has arrived. */
  read(receipt: Receipt, { secret }: Subscription, headers: Headers, body: string): void {
    receipt.body = body;
    try {
      this.webhookOf(secret).verify(body, Object.fromEntries(headers));
      receipt.signed = true;
    } catch {
      receipt.signed = false;
    }
  }

  /** Records the status that was answered, or null if the request will never be answered. */
  end(receipt: Receipt, status: number | null): void {
    receipt.endedAt = Date.now();
    receipt.closed = ++this.ticks;
    receipt.status = status;
  }

  /** Returns an endpoint's receipts in their order. */
  of(endpoint: string): Receipt[] {
    return this.receipts.filter((receipt) => receipt.endpoint === endpoint);
  }

  private webhookOf(secret: string): Webhook {
    const known = this.webhooks.get(secret);
    if (known) return known;
    const webhook = new Webhook(secret);
    this.webhooks.set(secret, webhook);
    return webhook;
  }
}

function decoded(header: string | null): string | null {
  return header === null ? null : decodeURIComponent(header);
}
