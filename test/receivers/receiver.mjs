// A receiver on Node's HTTP server. Arguments: `silent` if its answers are not to say how long it keeps idle connections; its
// port, and that time in milliseconds. Prints the length of each body that it has read to its end.
import { createServer } from "node:http";

const [port, keepAliveMs] = process.argv.slice(-2).map(Number);
const isSilent = process.argv.includes("silent");

async function lengthOf(request) {
  let length = 0;
  for await (const chunk of request) length += chunk.length;
  console.log(length);
}

const server = createServer(async (request, response) => {
  if (isSilent) response.setHeader("connection", "keep-alive");
  const isEarly = request.url === "/early";
  if (isEarly) response.end("ok");
  await lengthOf(request);
  if (!isEarly) response.end("ok");
});
// Node keeps them for a second more, and only later releases let that be changed.
const canChange = "keepAliveTimeoutBuffer" in server;
if (canChange) server.keepAliveTimeoutBuffer = 0;
server.keepAliveTimeout = canChange ? keepAliveMs : Math.max(1, keepAliveMs - 1_000);
server.listen(port, "127.0.0.1");
