import { hostname } from "node:os";
import type { Hermod, PulledEvent } from "../../client";
import { UsageError } from "../failure";
import { type Forwarded, forward } from "../forwarder";
import type { CommandSession } from "../session";

export type ForwardOptions = Readonly<{
  /** The local address. */
  to: string;
  /** The event types of an endpoint that the command makes. */
  filter: string;
  /** An endpoint to read; null: the command makes one, and deletes it at the end. */
  endpoint: string | null;
}>;

/** The variable with the endpoint's signing secret. Other users of the machine could see an option. */
const SECRET = "WEBHOOK_SECRET";
/** Seconds for the work on a page. Half of them are enough for one answer of the local server. */
const LEASE_S = 60;

/** Reads an endpoint, and sends each delivery to a local address, until the command is stopped. */
export async function forwardEvents(session: CommandSession, options: ForwardOptions): Promise<void> {
  const { to, endpoint } = options;
  if (!URL.canParse(to) || !/^https?:$/.test(new URL(to).protocol))
    throw new UsageError("--forward-to must be an http or https URL, such as http://localhost:4000/hooks");
  const secret = session.context.env[SECRET] || null;
  if (endpoint !== null) {
    if (secret === null) throw new UsageError(`Give the signing secret of ${endpoint} in ${SECRET}`);
    return read(session, { to, id: endpoint, secret });
  }
  const ended = session.context.untilEnded();
  const hermod = await session.hermod();
  const made = await create(hermod, options, secret);
  try {
    await read(session, { to, ...made }, ended);
  } finally {
    await hermod.endpoints.delete(made.id);
    session.output.note(`Deleted ${made.id}.`);
  }
}

type Reading = Readonly<{ to: string; id: string; secret: string }>;

async function create({ endpoints }: Hermod, { to, filter }: ForwardOptions, secret: string | null) {
  const description = `hermod listen --forward-to ${to} on ${hostname()}`.slice(0, 256);
  const own = secret === null ? {} : { signing_secret: secret };
  const made = await endpoints.create({ delivery: "pull", description, event_filter: filter, ...own });
  return { id: made.id, secret: made.signing_secret };
}

async function read(
  session: CommandSession,
  { to, id, secret }: Reading,
  signal = session.context.untilEnded(),
): Promise<void> {
  const { output } = session;
  if (output.isJson)
    output.json({ listening: true, endpoint_id: id, forward_to: to, signing_secret: secret });
  output.note(`Forwarding ${id} to ${to}; Ctrl-C ends it. Signing secret: ${secret}`);
  const hermod = await session.patientHermod();
  for await (const event of hermod.receive(id, { limit: 1, lease: LEASE_S, signal })) {
    const forwarded = await forward(event, to, secret);
    show(session, event, forwarded);
    const { error, retryAfter } = forwarded;
    if (error !== null) event.fail(error, retryAfter === null ? {} : { retryAfter });
  }
}

function show(
  { output }: CommandSession,
  event: PulledEvent,
  { status, durationMs, error }: Forwarded,
): void {
  const { id, sequence, attempt } = event;
  if (output.isJson)
    output.json({ event: event.event, id, sequence, attempt, status, duration_ms: durationMs, error });
  const which = `#${sequence}${attempt === 1 ? "" : `, attempt ${attempt}`}`;
  const result = error === null ? `${status}` : status === 0 ? error : `${status}, failed`;
  output.say(
    `${new Date().toISOString()}  ${event.event ?? "(no event)"}  ${id}  ${which}  ${result}  ${durationMs} ms`,
  );
}
