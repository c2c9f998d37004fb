// Has Node's own HTTP client read answers: a request to each of the paths /0, /1, … of a port, and prints what came of it.
import { Agent, request } from "node:http";

const [port, count] = process.argv.slice(2).map(Number);

function read(n) {
  return new Promise((resolve) => {
    const sent = request(
      { port, host: "127.0.0.1", method: "POST", path: `/${n}`, agent: new Agent() },
      (answer) => {
        let body = "";
        answer.setEncoding("latin1").on("data", (text) => {
          body += text;
        });
        answer.on("error", () => {});
        answer.on("close", () => resolve(`${answer.statusCode} ${answer.complete ? body : "cut"}`));
      },
    );
    sent.on("error", () => resolve("refused"));
    sent.on("upgrade", (_, socket) => {
      socket.destroy();
      resolve("refused");
    });
    sent.setTimeout(2_000, () => sent.destroy());
    sent.end("{}");
  });
}

const readings = [];
for (let n = 0; n < count; n++) readings.push(await read(n));
process.stdout.write(JSON.stringify(readings));
