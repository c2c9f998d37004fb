import { connect } from "node:net";

/** All that a server answers to some bytes, until it closes the connection or has been silent for a while after an answer. */
export function answerTo(url: string, bytes: string, silentMs = 1_000): Promise<string> {
  return conversation(url, bytes, (socket, end) => {
    let timer: Timer | undefined;
    socket.on("data", () => {
      clearTimeout(timer);
      timer = setTimeout(end, silentMs);
    });
    socket.on("close", () => clearTimeout(timer));
  });
}

/** How long a server bears with a client that begins like this and then sends a byte now and then, ms. */
export async function patience(url: string, start: string, unit: string, everyMs: number): Promise<number> {
  const startedAt = performance.now();
  await conversation(url, start, (socket) => {
    const timer = setInterval(() => socket.write(unit), everyMs);
    socket.on("close", () => clearInterval(timer));
  });
  return performance.now() - startedAt;
}

type Socket = ReturnType<typeof connect>;

function conversation(
  url: string,
  start: string,
  go: (socket: Socket, end: () => void) => void,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(start, "latin1"));
    socket.on("data", (data) => {
      received += data;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    go(socket, () => socket.destroy());
  });
}

/** Resolves with how long a server keeps a connection open after it has answered a request, ms. */
export async function idleTime(url: string): Promise<number> {
  let answeredAt = 0;
  await conversation(url, "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n", (socket) => {
    socket.on("data", () => {
      answeredAt = performance.now();
    });
  });
  return performance.now() - answeredAt;
}

/** A connection to write to; `received` resolves with all that came once that contains a text. */
export function socketTo(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  let look = () => {};
  socket.on("data", (data) => {
    text += data;
    look();
  });
  const received = (part: string) =>
    new Promise<string>((resolve, reject) => {
      look = () => text.includes(part) && resolve(text);
      socket.once("close", () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
      look();
    });
  return {
    write: (bytes: string) => void socket.write(bytes),
    received,
    text: () => text,
    end: () => void socket.destroy(),
  };
}
