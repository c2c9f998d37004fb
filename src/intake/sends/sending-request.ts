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
  private made = 0;
  private full = false;

  constructor(private readonly client: { readonly signal: { readonly aborted: boolean } }) {}

  get isGone(): boolean {
    return this.client.signal.aborted;
  }

  /** How many deliveries the request may still make. */
  get left(): number {
    return this.full ? 0 : MAX_DELIVERIES - this.made;
  }

  accepted(deliveries: number): void {
    this.made += deliveries;
  }

  /** Refuses all later items after one that did not fit. Otherwise smaller ones would overtake it when it is sent again. */
  close(): void {
    this.full = true;
  }
}
