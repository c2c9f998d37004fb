import { hostname } from "node:os";
import { UsageError } from "../failure";
import { Receiver } from "../receiver";
import type { Add } from "./command";
import { forwardEvents } from "./forward";
import { wholeNumber } from "./values";

export const addListen: Add = (parent, session) => {
  parent
    .command("listen")
    .summary("Receive webhooks here, verify them and show them.")
    .description(
      "Receive webhooks here: starts a receiver, registers an endpoint for it, verifies and shows the webhooks, and " +
        "deletes the endpoint on Ctrl-C. With --forward-to it reads them instead, so that Hermod may be anywhere, and sends each to " +
        "your own server, signed. What that server refuses is repeated by the endpoint's schedule.",
    )
    .option(
      "--forward-to <url>",
      "send each webhook to this address, such as http://localhost:4000/hooks; needs no tunnel",
    )
    .option(
      "--endpoint <id>",
      "with --forward-to: read this endpoint, with its secret in WEBHOOK_SECRET; makes none",
    )
    .option("--filter <pattern>", "event types, `<resource>.*` or `*`, separated by commas", "*")
    .option("--port <port>", "the receiver's port; 0 takes a free one", wholeNumber(0, 65_535), 0)
    .option("--host <host>", "the receiver's address", "127.0.0.1")
    .option("--public-url <url>", "the address where Hermod reaches the receiver, such as a tunnel's")
    .option("--answer <status>", "the status to answer verified webhooks with", wholeNumber(200, 599), 200)
    .action(async ({ forwardTo, endpoint, filter, port, host, publicUrl, answer }) => {
      if (forwardTo !== undefined)
        return forwardEvents(session, { to: forwardTo, filter, endpoint: endpoint ?? null });
      if (endpoint !== undefined) throw new UsageError("--endpoint needs --forward-to");
      const { output } = session;
      const hermod = await session.hermod();
      const ended = session.context.untilEnded();
      await using receiver = await Receiver.listen({ host, port, answer, output });
      const url = publicUrl ?? receiver.url;
      const description = `hermod listen on ${hostname()}`;
      const { id, signing_secret } = await hermod.endpoints.create({
        url,
        description,
        event_filter: filter,
      });
      try {
        receiver.trust(signing_secret);
        if (output.isJson) output.json({ listening: true, endpoint_id: id, url });
        output.note(`Listening as ${id} at ${url} for ${filter}; Ctrl-C ends it.`);
        await abortOf(ended);
      } finally {
        await hermod.endpoints.delete(id);
        output.note(`Deleted ${id}.`);
      }
    });
};

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
