import postgres from "postgres";

/** Reads a cluster's database past the service. */
export class DatabaseView {
  readonly sql;

  constructor(readonly url: string) {
    // Keeps one connection over all polls: connecting takes 13 ms of CPU, a statement 0.2 ms.
    this.sql = postgres(url, {
      max: 1,
      idle_timeout: 1,
      backoff: () => 0,
      onnotice: () => {},
      types: { bigint: postgres.BigInt },
    });
  }

  close(): Promise<void> {
    return this.sql.end({ timeout: 1 });
  }
}
