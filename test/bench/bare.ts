// The least that does the work: what a delivery costs in order and durable, and nothing else. It has no keys, limits,
// idempotency, filters, statistics, lists, retries or deadlines, and is as fast as possible without them. The service is
// compared with it. Run as `bare.ts api|dispatcher|all`, with DATABASE_URL and NATS_URL.
import { Elysia } from "elysia";
import { Delivering } from "./bare/delivering";
import { Intake } from "./bare/intake";
import { Publisher } from "./bare/publisher";
import { insertEndpoint, openRows, type Sql } from "./bare/rows";
import { openStream } from "./bare/stream";

const { DATABASE_URL = "", NATS_URL = "" } = process.env;
const [role = "all"] = process.argv.slice(2);

function startApi(sql: Sql, intake: Intake): number {
  const app = new Elysia()
    .post("/endpoints", async ({ body, set }) => {
      const id = Bun.randomUUIDv7();
      await insertEndpoint(sql, { id, url: (body as { url: string }).url, secret: crypto.randomUUID() });
      set.status = 201;
      return { id };
    })
    .post("/webhooks", async ({ body, set }) => {
      const { endpoint_id: endpointId, data } = body as { endpoint_id: string; data: object };
      const { id } = await intake.accept(endpointId, JSON.stringify(data));
      set.status = 201;
      return { id, endpoint_id: endpointId, status: "pending" };
    })
    .listen({ hostname: "127.0.0.1", port: 0, development: false });
  return app.server?.port ?? 0;
}

const rows = await openRows(DATABASE_URL);
const nats = await openStream(NATS_URL);
if (role !== "api") await new Delivering(rows.sql).start(nats);
const publisher = new Publisher(nats);
const port = role === "dispatcher" ? 0 : startApi(rows.sql, new Intake(rows.intake, publisher));
console.log(`ready http://127.0.0.1:${port}`);

process.on("SIGTERM", async () => {
  await publisher.drained();
  await nats.close();
  await rows.close();
  process.exit(0);
});
