// A receiver on Node's OpenSSL, since Bun's BoringSSL never renegotiates as a server. Once the head of a request is there it
// asks for a client certificate so many times, as servers do that want one for a path, and then answers with the body's length.
import { once } from "node:events";
import { createServer } from "node:tls";
import { promisify } from "node:util";

const [key, cert, times] = process.argv.slice(2);
const HEAD_END = "\r\n\r\n";

async function serve(socket) {
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
  });
  for (;;) {
    while (!text.includes(HEAD_END)) await once(socket, "data");
    for (let i = 0; i < Number(times); i++)
      await promisify(socket.renegotiate.bind(socket))({ requestCert: true, rejectUnauthorized: false });
    const length = Number(/content-length: (\d+)/.exec(text)?.[1]);
    while (text.length < text.indexOf(HEAD_END) + HEAD_END.length + length) await once(socket, "data");
    text = "";
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${String(length).length}\r\n\r\n${length}`);
  }
}

const server = createServer({ key, cert, maxVersion: "TLSv1.2" }, (socket) =>
  serve(socket).catch(() => socket.destroy()),
);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
