/** Deliveries that one request may make, over all its events. */
export const MAX_DELIVERIES = 10_000;

/** The client is gone before its request was carried out: nobody reads the answer, and nothing was done. */
export class ClientGone extends Error {
  constructor() {
    super("the client closed its connection");
    this.name = "ClientGone";
  }
}

/** Counts what the items of one request may still make, and knows whether its client still waits. */
export class SendingRequest {
  private made = 0;
  private full = false;

  constructor(private readonly client: { readonly signal: { readonly aborted: boolean } }) {}

  get isGone(): boolean {
    return this.client.signal.aborted;
  }

  /** Deliveries that it may still make. */
  get left(): number {
    return this.full ? 0 : MAX_DELIVERIES - this.made;
  }

  accepted(deliveries: number): void {
    this.made += deliveries;
  }

  /** An item found too little left. Later ones are refused as well, so that those sent again keep their order. */
  close(): void {
    this.full = true;
  }
}
