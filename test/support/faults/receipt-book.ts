import { Webhook } from "standardwebhooks";
import type { Receipt } from "./receipt";

/** The endpoint whose requests a receiver gets, and its secret. */
export type Subscription = { endpoint: string; secret: string };

/** The requests of all receivers of a run, in one order. */
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

  /** The body has come. */
  read(receipt: Receipt, { secret }: Subscription, headers: Headers, body: string): void {
    receipt.body = body;
    try {
      this.webhookOf(secret).verify(body, Object.fromEntries(headers));
      receipt.signed = true;
    } catch {
      receipt.signed = false;
    }
  }

  /** It was answered with a status, or (null) was not and never will be. */
  end(receipt: Receipt, status: number | null): void {
    receipt.endedAt = Date.now();
    receipt.closed = ++this.ticks;
    receipt.status = status;
  }

  /** Receipts of one endpoint, in their order. */
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
