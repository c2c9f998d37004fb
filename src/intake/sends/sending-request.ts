/** Most deliveries that one request may make with all its events. */
export const MAX_DELIVERIES = 10_000;

/** The client left before its request was carried out. Nothing was done. */
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

  /** How many deliveries it may still make. */
  get left(): number {
    return this.full ? 0 : MAX_DELIVERIES - this.made;
  }

  accepted(deliveries: number): void {
    this.made += deliveries;
  }

  /** Refuses all later items once one found too little left, so that items sent again keep their order. */
  close(): void {
    this.full = true;
  }
}
