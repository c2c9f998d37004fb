import type { Subscription } from "nats";
import { type AccountId, fromText } from "../domain/ids";
import type { StreamConnection } from "./connection";
import { ALL_SUBJECTS } from "./topology";

/** Most messages read per second. Listeners find the deliveries of the others when they next poll Postgres. */
const MAX_PER_SECOND = 1_000;
const LINE_FEED = 10;
const ACCOUNT = /"account_id":"(acc_\w{26})"/g;

/**
 * Calls listeners when deliveries of their account were accepted, by this process or, through NATS, by another one. A call may
 * be missing or wrong: messages are not verified, since listeners read Postgres anyway. Subscribes to NATS only while there
 * is a listener.
 */
export class DeliveryNotifier {
  private readonly listeners = new Map<AccountId, Set<() => void>>();
  private subscription: Subscription | null = null;
  private second = 0;
  private seen = 0;

  constructor(private readonly connection: Pick<StreamConnection, "ready" | "isClosed">) {}

  /** Calls `wake` when a delivery of the account was accepted. The returned function removes the listener. */
  listen(accountId: AccountId, wake: () => void): () => void {
    const own = () => wake();
    this.listeners.set(accountId, (this.listeners.get(accountId) ?? new Set()).add(own));
    this.subscribe();
    return () => {
      const rest = this.listeners.get(accountId);
      rest?.delete(own);
      if (rest?.size === 0) this.listeners.delete(accountId);
      if (this.listeners.size === 0) this.unsubscribe();
    };
  }

  /** Wakes the listeners of an account for which this process accepted a delivery. */
  notify(accountId: AccountId): void {
    if (this.listeners.size === 0) return;
    for (const wake of this.listeners.get(accountId) ?? []) wake();
  }

  private subscribe(): void {
    if (this.subscription) return;
    this.connection.ready.then(
      (nats) => {
        if (this.connection.isClosed || this.subscription || this.listeners.size === 0) return;
        const callback = (error: Error | null, { data }: { data: Uint8Array }) => {
          if (error === null && this.isWithinLimit()) this.notifyAccountsIn(data);
        };
        this.subscription = nats.subscribe(ALL_SUBJECTS, { callback });
      },
      () => {},
    );
  }

  private unsubscribe(): void {
    if (!this.connection.isClosed) this.subscription?.unsubscribe();
    this.subscription = null;
  }

  private isWithinLimit(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) [this.second, this.seen] = [second, 0];
    return ++this.seen <= MAX_PER_SECOND;
  }

  /** Reads the accounts from the list of deliveries, which is the message's second line. */
  private notifyAccountsIn(data: Uint8Array): void {
    const start = data.indexOf(LINE_FEED) + 1;
    const end = data.indexOf(LINE_FEED, start);
    if (start === 0 || end === -1) return;
    const list = Buffer.from(data.buffer, data.byteOffset + start, end - start).toString("latin1");
    const accounts = new Set([...list.matchAll(ACCOUNT)].map(([, account = ""]) => account));
    for (const account of accounts) {
      const id = fromText("acc", account);
      if (id !== null) this.notify(id);
    }
  }
}
