import type { Hermod } from "../../client";
import { UsageError } from "../failure";
import type { Output } from "../output";
import type { CommandSession } from "../session";
import type { Add } from "./command";
import { wholeNumber } from "./values";

/** Largest page. */
const PAGE = 500;
/** Events that are shown without `--limit`. */
const SHOWN = 100;

export const addReceive: Add = (parent, session) => {
  parent
    .command("receive <endpoint-id>")
    .summary("Read what waits at an endpoint with delivery pull.")
    .description(
      "Read what waits at an endpoint with delivery pull, and print a JSON object a line. Without --ack everything stays: the " +
        "next reader gets it in the same attempt. Takes the endpoint's receiver key as --key.",
    )
    .option("--ack", "acknowledge each event once it is printed")
    .option("--limit <n>", `print at most this many; without --ack at most ${PAGE}`, wholeNumber(1))
    .option("--follow", "wait for more events until Ctrl-C; needs --ack")
    .action(async (endpoint, { ack = false, limit, follow = false }) => {
      if (follow && !ack)
        throw new UsageError("--follow needs --ack, since only an acknowledged event makes way");
      if (!ack) return look(await session.hermod(), endpoint, Math.min(limit ?? SHOWN, PAGE), session.output);
      await take(session, endpoint, follow, limit ?? Number.POSITIVE_INFINITY);
    });
};

/** Shows the next events, and hands them back. */
async function look({ endpoints }: Hermod, endpoint: string, limit: number, output: Output): Promise<void> {
  const { data, receipt } = await endpoints.receive(endpoint, { limit });
  try {
    for (const event of data) output.json(event);
  } finally {
    if (receipt !== null) await endpoints.receive(endpoint, { limit: 0, receipt, release: true });
  }
}

/** Prints and acknowledges events. What is not printed when the command is stopped stays. */
async function take(
  session: CommandSession,
  endpoint: string,
  follow: boolean,
  limit: number,
): Promise<void> {
  const { streams, untilEnded } = session.context;
  const signal = untilEnded();
  const hermod = await (follow ? session.patientHermod() : session.hermod());
  let left = limit;
  for await (const { text: _, ...event } of hermod.receive(endpoint, {
    limit: Math.min(left, PAGE),
    untilEmpty: !follow,
    signal,
  })) {
    session.output.json(event);
    await streams.drained();
    if (signal.aborted) break;
    if (--left > 0) continue;
    event.ack();
    break;
  }
}
