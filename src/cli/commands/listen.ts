import { hostname } from "node:os";
import { Receiver } from "../receiver";
import type { Add } from "./command";
import { wholeNumber } from "./values";

export const addListen: Add = (parent, session) => {
  parent
    .command("listen")
    .summary("Receive webhooks here, verify them and show them.")
    .description(
      "Receive webhooks here: starts a receiver, registers an endpoint for it, verifies and shows the webhooks, and " +
        "deletes the endpoint on Ctrl-C.",
    )
    .option("--filter <pattern>", "event types, `<resource>.*` or `*`, separated by commas", "*")
    .option("--port <port>", "the receiver's port; 0 takes a free one", wholeNumber(0, 65_535), 0)
    .option("--host <host>", "the receiver's address", "127.0.0.1")
    .option("--public-url <url>", "the address where Hermod reaches the receiver, such as a tunnel's")
    .option("--answer <status>", "the status to answer verified webhooks with", wholeNumber(200, 599), 200)
    .action(async ({ filter, port, host, publicUrl, answer }) => {
      const { output } = session;
      const hermod = await session.hermod();
      const ended = session.context.untilEnded();
      await using receiver = new Receiver({ host, port, answer, output });
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
