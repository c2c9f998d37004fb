// npm install postgres, and Hermod's client. Next.js serves this file at /hooks.
import { BodyTooLarge, readBody, verify, WebhookVerificationError } from "hermod-client";
import { after } from "next/server";
import postgres from "postgres";

// create table webhooks (id text primary key, sequence bigint, event text, body text, done boolean not null)
const sql = postgres(process.env.DATABASE_URL ?? "");
const secrets = process.env.WEBHOOK_SECRET?.split(" ") ?? []; // several while one is being replaced

export async function POST(request: Request): Promise<Response> {
  try {
    // 1. Read the body as bytes, up to a limit.
    const body = await readBody(request);
    // 2. Verify the signature.
    const { id, sequence, event } = verify(body, request.headers, secrets);
    // 3. Store the webhook under its id, unless it came before.
    const text = new TextDecoder().decode(body);
    await sql`insert into webhooks values (${id}, ${sequence}, ${event}, ${text}, false) on conflict do nothing`;
    // 4. Answer 2xx.
    after(work);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 401 });
    if (error instanceof BodyTooLarge) return new Response(error.message, { status: 413 });
    throw error;
  }
}

// 5. Work afterwards, in order. A failure holds back what follows until it succeeds. Let a cron job call this too.
async function work(): Promise<void> {
  while (await workOnFirst());
}

function workOnFirst(): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [first] = await tx`update webhooks set done = true where id =
      (select id from webhooks where not done and sequence > 0 order by sequence limit 1 for update) returning *`;
    if (first) console.log(first.sequence, first.event, first.body);
    return first !== undefined;
  });
}
