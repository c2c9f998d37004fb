// A receiver on Node's OpenSSL, since Bun's BoringSSL never asks for a renegotiation as a server. It asks once the head of a
// request is there, as servers do that want a client certificate for a path, as many times as told, and answers then.
import { createServer } from "node:tls";

const [key, cert, times] = process.argv.slice(2);
const HEAD_END = "\r\n\r\n";

const server = createServer({ key, cert, maxVersion: "TLSv1.2" }, (socket) => {
  let text = "";
  let asked = 0;
  const askOrAnswer = () => {
    if (asked++ < Number(times)) {
      socket.renegotiate({ requestCert: true, rejectUnauthorized: false }, (error) => error ?? askOrAnswer());
      return;
    }
    const answerWhole = () => {
      const end = text.indexOf(HEAD_END) + HEAD_END.length;
      const length = Number(/content-length: (\d+)/.exec(text)?.[1]);
      if (text.length - end < length) return;
      const body = String(length);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      socket.off("data", answerWhole);
      text = "";
      asked = 0;
      socket.on("data", begin);
    };
    socket.on("data", answerWhole);
    answerWhole();
  };
  const begin = () => {
    if (!text.includes(HEAD_END)) return;
    socket.off("data", begin);
    askOrAnswer();
  };
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
  });
  socket.on("data", begin);
  socket.on("error", () => {});
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
