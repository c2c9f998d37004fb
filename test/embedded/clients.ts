import { connect, type NatsConnection } from "nats";
import postgres, { type Sql } from "postgres";

export async function withSql<T>(url: string, use: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export async function withNats<T>(url: string, use: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connectTo(url);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

export function connectTo(url: string): Promise<NatsConnection> {
  const { host, username, password } = new URL(url);
  return connect({ servers: host, user: username, pass: password, reconnect: false });
}
