import { Database } from "bun:sqlite";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import postgres from "postgres";
import { type InboxEvent, type InboxOptions, inbox } from "../../src/client/inbox/index.ts";

/** The databases of receivers. */
export const DRIVERS = ["postgres.js", "pg", "bun:sqlite", "node:sqlite"] as const;
export type Driver = (typeof DRIVERS)[number];

const EFFECTS =
  "create table if not exists effects (at integer primary key, sequence bigint not null, n text not null)";
const EFFECTS_PG = EFFECTS.replace("at integer", "at serial");
const INSERT = "insert into effects (sequence, n) values";

/** A receiver whose work writes a row for each webhook. `fails`: whether the work throws. */
export async function newReceiver(
  driver: Driver,
  address: string,
  options: InboxOptions,
  fails: (event: InboxEvent) => boolean = () => false,
) {
  const check = (event: InboxEvent) => {
    if (fails(event)) throw new Error(`no work for ${event.sequence}`);
    return [event.sequence, (event.data as { n?: number }).n ?? 0] as const;
  };
  switch (driver) {
    case "postgres.js": {
      const sql = postgres(address, { max: 8, onnotice: () => {} });
      await sql.unsafe(EFFECTS_PG);
      const box = inbox(sql, options);
      const work: Parameters<typeof box.handle>[1] = async (tx, event) => {
        const [sequence, n] = check(event);
        await tx`insert into effects (sequence, n) values (${sequence}, ${n})`;
      };
      return receiverOf(
        box,
        work,
        () => sql`select * from effects order by at`,
        () => sql.end(),
      );
    }
    case "pg": {
      const pool = new pg.Pool({ connectionString: address, max: 8 });
      await pool.query(EFFECTS_PG);
      const box = inbox(pool, options);
      const work: Parameters<typeof box.handle>[1] = (client, event) =>
        client.query(`${INSERT} ($1, $2)`, [...check(event)]);
      const read = async () => (await pool.query("select * from effects order by at")).rows;
      return receiverOf(box, work, read, () => pool.end());
    }
    case "bun:sqlite":
    case "node:sqlite": {
      const db = driver === "bun:sqlite" ? new Database(address) : new DatabaseSync(address);
      db.exec("pragma journal_mode = wal; pragma busy_timeout = 5000; pragma synchronous = normal");
      db.exec(EFFECTS);
      const box = inbox(db, options);
      const work: Parameters<typeof box.handle>[1] = (tx, event) =>
        tx.prepare(`${INSERT} (?, ?) returning at`).all(...check(event));
      const read = async () => db.prepare("select * from effects order by at").all() as object[];
      return receiverOf(box, work, read, () => db.close());
    }
  }
}

type Effect = { sequence: number; n: number };
type Box<Work> = {
  createTable(): Promise<void>;
  handle(request: Request, work: Work): Promise<Response>;
  catchUp(work: Work): Promise<void>;
  close(): void;
};

async function receiverOf<Work>(
  box: Box<Work>,
  work: Work,
  read: () => PromiseLike<readonly object[]>,
  close: () => unknown,
) {
  await box.createTable();
  return {
    handle: (request: Request) => box.handle(request, work),
    catchUp: () => box.catchUp(work),
    effects: async (): Promise<Effect[]> =>
      (await read()).map((row) => {
        const { sequence, n } = row as { sequence: unknown; n: unknown };
        return { sequence: Number(sequence), n: Number(n) };
      }),
    close: async () => {
      box.close();
      await close();
    },
  };
}

type ProcessArgument = Readonly<{ driver: Driver; address: string; options: InboxOptions }>;

const OURS = [process.execPath, import.meta.path];

/** A receiver in a process of its own, which a test may kill. */
export class ReceiverProcess {
  private constructor(
    private readonly child: Bun.Subprocess,
    readonly port: number,
  ) {}

  /** `command` runs a receiver in another language, which gets the same argument. */
  static async start(argument: ProcessArgument, command: readonly string[] = OURS): Promise<ReceiverProcess> {
    const child = Bun.spawn([...command, JSON.stringify(argument)], { stdout: "pipe", stderr: "inherit" });
    const { value } = await child.stdout.getReader().read();
    return new ReceiverProcess(child, Number(new TextDecoder().decode(value)));
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
  }
}

if (import.meta.main) {
  const { driver, address, options }: ProcessArgument = JSON.parse(process.argv[2] ?? "{}");
  const receiver = await newReceiver(driver, address, options);
  await receiver.catchUp();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => receiver.handle(request) });
  console.log(server.port);
}
