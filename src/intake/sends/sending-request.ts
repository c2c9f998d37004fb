/** Most deliveries that one request may make with all its events. */
export const MAX_DELIVERIES = 10_000;

/** The client closed its connection before its send was committed. Nothing was written. */
export class ClientGone extends Error {
  constructor() {
    super("the client closed its connection");
    this.name = "ClientGone";
  }
}

/** Counts how many deliveries a request may still make, and knows whether its client still waits. */
export class SendingRequest {
  /** How many deliveries the request has made. */
  made = 0;
  private full = false;

  constructor(private readonly client: { readonly signal: { readonly aborted: boolean } }) {}

  get isGone(): boolean {
    return this.client.signal.aborted;
  }

  /** True if the request makes no more deliveries. */
  get isFull(): boolean {
    return this.full || this.made >= MAX_DELIVERIES;
  }

  accepted(deliveries: number): void {
    this.made += deliveries;
  }

  /** Refuses all later items after one that did not fit. Otherwise smaller ones would overtake it when it is sent again. */
  close(): void {
    this.full = true;
  }
}
