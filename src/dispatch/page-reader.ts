import type { Database } from "../db/database";
import type { Sql } from "../db/pool";
import { Batcher } from "../runtime/batcher";
import { MAX_MESSAGE_DATA_BYTES } from "../stream/message";
import { MAILBOX_CHARACTERS } from "./lane";
import type { Room } from "./room";

export type PageReaderOptions<Request, Row, Page> = Readonly<{
  db: Database;
  /** For what the pages bring. */
  room: Pick<Room, "isFull">;
  /** The rows of all requests, each with the number of its request, from 1. */
  select(sql: Sql, requests: readonly Request[], measure: Measure): Promise<Row[]>;
  /** Throws when this endpoint can't be read, e.g. because its secret can't be opened. */
  pageOf(request: Request, rows: readonly Row[]): Page;
}>;

/** How much a page brings: the first delivery, and those behind it while their payloads have so many bytes together… */
export type Measure = Readonly<{
  bytes: number;
  /** …and of a payload with more bytes than this only how many there are. */
  payloadBytes: number;
}>;

export const WITH_ROOM: Measure = { bytes: MAILBOX_CHARACTERS, payloadBytes: MAX_MESSAGE_DATA_BYTES };
/** There may be 100,000 endpoints, with a delivery each. */
export const WITHOUT_ROOM: Measure = { bytes: 0, payloadBytes: 4_096 };

const MAX_BATCH = 100;
const MAX_READS = 2;
const MAX_QUEUED = 1_000_000;

/** Reads a page of each of many endpoints in one statement. */
export class PageReader<Request, Row extends { n: number }, Page> {
  private readonly batcher: Batcher<Request, Page>;

  constructor(private readonly options: PageReaderOptions<Request, Row, Page>) {
    this.batcher = new Batcher({
      run: (requests) => this.readMany(requests),
      maxItems: MAX_BATCH,
      maxRunning: MAX_READS,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Throws `DatabaseUnavailable`, or what is wrong with this endpoint alone. */
  read(request: Request): Promise<Page> {
    return this.batcher.submit(request);
  }

  private async readMany(requests: Request[]): Promise<Promise<Page>[]> {
    const { db, room, select, pageOf } = this.options;
    const measure = room.isFull ? WITHOUT_ROOM : WITH_ROOM;
    const rows = await db.run((sql) => select(sql, requests, measure));
    const byRequest = Map.groupBy(rows, (row) => row.n);
    // One endpoint that can't be read must not fail those that share its statement.
    return requests.map(async (request, i) => pageOf(request, byRequest.get(i + 1) ?? []));
  }
}
