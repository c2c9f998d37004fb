import { once } from "node:events";
import { connect } from "node:net";

/** Returns the first line of the answer. A receiver may answer and close before it has read the body. */
export async function answerToLargeBody(url: string): Promise<string> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
  const length = 2 * 1_048_576 + 1;
  socket.write(`POST ${pathname} HTTP/1.1\r\nhost: a.example\r\ncontent-length: ${length}\r\n\r\n`);
  socket.write(Buffer.alloc(length));
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString().split("\r\n")[0] ?? "";
}
