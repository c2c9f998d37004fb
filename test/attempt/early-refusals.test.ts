import { afterEach, expect, test } from "bun:test";
import { AUTHORITY, CERTIFICATE, KEY } from "./certificates";
import { answer, Receiver } from "./receiver";
import { createSender, exchangeOf, to } from "./sending";
import { SlowRelay } from "./slow-relay";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

const ROUNDS = 12;

// A receiver that refuses a body after its head resets the connection by closing it with the body unread.
for (const scheme of ["http", "https"]) {
  for (const way of ["at once", "over a slow link"]) {
    test.each([900_000, 8_000_000])(
      `a 413 before a reset is read (${scheme}, ${way}, %d bytes)`,
      async (size) => {
        const receiver = opened(
          await Receiver.open({
            tls: scheme === "https" ? { key: KEY, cert: CERTIFICATE } : undefined,
            onConnection: (socket) =>
              socket.setNoDelay().once("data", () => {
                // The relay has to read the answer before its own writing fails.
                const reset = () => socket.resetAndDestroy();
                socket
                  .pause()
                  .write(
                    answer(413, "too large"),
                    way === "at once" ? reset : () => void setTimeout(reset, 20),
                  );
              }),
          }),
        );
        const { port } = way === "at once" ? receiver : opened(await SlowRelay.open(receiver.port));
        const sender = opened(
          createSender({
            lookup: async () => [{ address: "127.0.0.1", family: 4 }],
            tls: { certificateAuthorities: AUTHORITY },
          }),
        );
        const body = "x".repeat(size);
        const url = `${scheme}://hook.test:${port}/`;
        const all = Array.from({ length: ROUNDS }, () => exchangeOf(sender, { ...to(url), body }));
        const results = (await Promise.all(all)).map(({ status, error, responseBody }) => [
          status,
          error,
          responseBody,
        ]);
        expect(results).toEqual(Array(ROUNDS).fill([413, null, "too large"]));
      },
    );
  }
}
