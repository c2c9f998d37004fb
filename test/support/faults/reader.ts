import { type Answer, fieldOf, HermodClient } from "./hermod-client";

/** Short, so that a receiver that ends is soon replaced. */
const LEASE_S = 3;
const PAGE = 20;
const PAUSE_MS = 50;

/** What the receivers of one ordered endpoint have read and acknowledged together, in the order of their work. */
export class ReadBook {
  /** The sequences of each page that was worked on. */
  readonly pages: number[][] = [];
  /** The last acknowledgement that was answered. */
  private acknowledged = 0;
  private last = 0;
  private lastReader: EndpointReader | null = null;
  private lastAttempt = 0;
  readonly flaws: string[] = [];
  fenced = 0;

  /** `attempts`: the attempt of each delivery, which is the first unless the time for an earlier page was over. */
  take(reader: EndpointReader, sequences: number[], attempts: number[]): void {
    const [first = 0] = sequences;
    const isTaken = first <= this.last && this.lastReader !== reader && attempts[0] === this.lastAttempt;
    if (isTaken) this.flaws.push(`two receivers had ${first} in attempt ${attempts[0]}`);
    this.lastReader = reader;
    this.lastAttempt = attempts[0] ?? 0;
    const isWhole = sequences.every((sequence, i) => sequence === first + i);
    if (!isWhole) this.flaws.push(`a page has gaps: ${sequences.join()}`);
    if (first > this.last + 1) this.flaws.push(`${first} came after ${this.last}`);
    if (first <= this.acknowledged)
      this.flaws.push(`${first} came again, though ${this.acknowledged} was acknowledged`);
    this.pages.push(sequences);
    this.last = Math.max(this.last, sequences.at(-1) ?? 0);
  }

  answered(through: number): void {
    this.acknowledged = Math.max(this.acknowledged, through);
  }
}

type ReadPage = Readonly<{ receipt: string; through: number }>;

/** A receiver of an ordered endpoint that reads. It can end at any moment, and forgets everything then. */
export class EndpointReader {
  private readonly ending = new AbortController();
  private readonly work: Promise<void>;

  constructor(
    private readonly api: () => string,
    private readonly key: string,
    private readonly endpoint: string,
    private readonly book: ReadBook,
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
    const settles = page && { receipt: page.receipt, ack_through: page.through };
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
    if (before) this.book.answered(before.through);
    const data = fieldOf(answer.body, "data");
    const sequences = (Array.isArray(data) ? data : []).map((each) => Number(fieldOf(each, "sequence")));
    const attempts = (Array.isArray(data) ? data : []).map((each) => Number(fieldOf(each, "attempt")));
    const receipt = fieldOf(answer.body, "receipt");
    if (sequences.length === 0 || typeof receipt !== "string" || tookMs > LEASE_S * 1_000) return null;
    this.book.take(this, sequences, attempts);
    return { receipt, through: sequences.at(-1) ?? 0 };
  }
}
