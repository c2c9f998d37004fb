import { once } from "node:events";
import { connect } from "node:net";

const LENGTH = 2 * 1_048_576 + 1;

/**
 * Announces a body that is too large, and returns the first line of the answer. `isSent`: sends the body as well, for receivers that
 * count it. One that closes before it has read the body may reset the connection in front of its answer.
 */
export async function answerToLargeBody(url: string, { isSent }: { isSent: boolean }): Promise<string> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`POST ${pathname} HTTP/1.1\r\nhost: a.example\r\ncontent-length: ${LENGTH}\r\n\r\n`);
  if (isSent) socket.write(Buffer.alloc(LENGTH));
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.on("error", () => {}).destroy();
  return answer.toString().split("\r\n")[0] ?? "";
}
