import { type Answer, fieldOf, HermodClient } from "./hermod-client";

/** Short, so that a receiver that ends is soon replaced. */
const LEASE_S = 3;
const PAGE = 20;
const PAUSE_MS = 50;

/** A delivery of a page. */
type HandedOut = Readonly<{ sequence: number; key: string | null; attempt: number }>;

/** What the receivers of one endpoint have read together, and what was wrong with it. */
interface ReceiversBook {
  readonly flaws: readonly string[];
  /** Requests that were refused since another receiver has the page. */
  fenced: number;
  take(reader: EndpointReader, page: readonly HandedOut[]): void;
  acknowledging(page: readonly HandedOut[]): void;
  answered(page: readonly HandedOut[]): void;
}

/** What the receivers of one ordered endpoint have read and acknowledged together, in the order of their work. */
export class ReadBook implements ReceiversBook {
  /** The sequences of each page that was worked on. */
  readonly pages: number[][] = [];
  /** The last acknowledgement that was answered. */
  private acknowledged = 0;
  private last = 0;
  private lastReader: EndpointReader | null = null;
  private lastAttempt = 0;
  readonly flaws: string[] = [];
  fenced = 0;

  take(reader: EndpointReader, page: readonly HandedOut[]): void {
    const sequences = page.map(({ sequence }) => sequence);
    const [{ sequence: first, attempt } = { sequence: 0, attempt: 0 }] = page;
    const isTaken = first <= this.last && this.lastReader !== reader && attempt === this.lastAttempt;
    if (isTaken) this.flaws.push(`two receivers had ${first} in attempt ${attempt}`);
    this.lastReader = reader;
    this.lastAttempt = attempt;
    const isWhole = sequences.every((sequence, i) => sequence === first + i);
    if (!isWhole) this.flaws.push(`a page has gaps: ${sequences.join()}`);
    if (first > this.last + 1) this.flaws.push(`${first} came after ${this.last}`);
    if (first <= this.acknowledged)
      this.flaws.push(`${first} came again, though ${this.acknowledged} was acknowledged`);
    this.pages.push(sequences);
    this.last = Math.max(this.last, sequences.at(-1) ?? 0);
  }

  acknowledging(): void {}

  answered(page: readonly HandedOut[]): void {
    this.acknowledged = Math.max(this.acknowledged, page.at(-1)?.sequence ?? 0);
  }
}

/** What the receivers of an endpoint with many orders have read: by key, or each delivery alone. */
export class KeyBook implements ReceiversBook {
  readonly pages: number[][] = [];
  readonly flaws: string[] = [];
  fenced = 0;
  private readonly last = new Map<string, number>();
  private readonly holders = new Map<string, EndpointReader>();
  /** Whose acknowledgement was sent; an answer may be lost. */
  private readonly asked = new Set<number>();
  private readonly acknowledged = new Set<number>();

  constructor(private readonly isByKey: boolean) {}

  take(reader: EndpointReader, page: readonly HandedOut[]): void {
    for (const { sequence, key, attempt } of page) {
      const order = this.isByKey ? (key ?? "without a key") : `alone ${sequence}`;
      const last = this.last.get(order) ?? 0;
      if (sequence < last) this.flaws.push(`${sequence} came after ${last} of its key`);
      if (sequence > last && last > 0 && !this.asked.has(last))
        this.flaws.push(`${sequence} came before ${last} of its key was acknowledged`);
      if (this.acknowledged.has(sequence)) this.flaws.push(`${sequence} came again, though acknowledged`);
      const handing = `${sequence}, attempt ${attempt}`;
      const holder = this.holders.get(handing) ?? reader;
      if (holder !== reader) this.flaws.push(`two receivers had ${handing}`);
      this.holders.set(handing, reader);
      this.last.set(order, sequence);
    }
    this.pages.push(page.map(({ sequence }) => sequence));
  }

  acknowledging(page: readonly HandedOut[]): void {
    for (const { sequence } of page) this.asked.add(sequence);
  }

  answered(page: readonly HandedOut[]): void {
    for (const { sequence } of page) this.acknowledged.add(sequence);
  }
}

type ReadPage = Readonly<{ receipt: string; deliveries: readonly HandedOut[] }>;

/** A receiver that reads. It can end at any moment, and forgets everything then. */
export class EndpointReader {
  private readonly ending = new AbortController();
  private readonly work: Promise<void>;

  constructor(
    private readonly api: () => string,
    private readonly key: string,
    private readonly endpoint: string,
    private readonly book: ReceiversBook,
  ) {
    this.work = this.read();
  }

  /** Ends without a word, also in the middle of a request. */
  async kill(): Promise<void> {
    this.ending.abort();
    await this.work;
  }

  private async read(): Promise<void> {
    let page: ReadPage | null = null;
    while (!this.ending.signal.aborted) {
      const askedAt = performance.now();
      const answer = await this.ask(page);
      if (answer === null || answer.status >= 500) await Bun.sleep(PAUSE_MS);
      else if (answer.status === 409) {
        this.book.fenced++;
        page = null;
      } else page = this.take(answer, page, performance.now() - askedAt);
    }
  }

  private async ask(page: ReadPage | null): Promise<Answer | null> {
    if (page) this.book.acknowledging(page.deliveries);
    const settles = page && { receipt: page.receipt, ack_through: throughOf(page) };
    const body = { limit: PAGE, wait: 0.2, lease: LEASE_S, ...settles };
    const client = new HermodClient(this.api(), this.key);
    const ended = new Promise<null>((resolve) =>
      this.ending.signal.addEventListener("abort", () => resolve(null)),
    );
    const asked = client.ask("POST", `/endpoints/${this.endpoint}/receive`, body).catch(() => null);
    return Promise.race([asked, ended]);
  }

  /** Works on a page. An answer that came after its lease is dropped: another receiver may have the page. */
  private take(answer: Answer, before: ReadPage | null, tookMs: number): ReadPage | null {
    if (before) this.book.answered(before.deliveries);
    const data = fieldOf(answer.body, "data");
    const deliveries = (Array.isArray(data) ? data : []).map(handedOut);
    const receipt = fieldOf(answer.body, "receipt");
    if (deliveries.length === 0 || typeof receipt !== "string" || tookMs > LEASE_S * 1_000) return null;
    this.book.take(this, deliveries);
    return { receipt, deliveries };
  }
}

function throughOf({ deliveries }: ReadPage): number {
  return Math.max(...deliveries.map(({ sequence }) => sequence));
}

function handedOut(delivery: unknown): HandedOut {
  const key = fieldOf(delivery, "ordering_key");
  return {
    sequence: Number(fieldOf(delivery, "sequence")),
    key: typeof key === "string" ? key : null,
    attempt: Number(fieldOf(delivery, "attempt")),
  };
}
