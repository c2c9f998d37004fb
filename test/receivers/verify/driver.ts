// Prints whether each vector, a line of stdin, is genuine.
import { isGenuine } from "../../../docs/receiving/verify";

for (const line of (await Bun.stdin.text()).trim().split("\n")) {
  const [body = "", id = "", timestamp = "", signatures = "", secrets = "", now] = line.split("\t");
  console.log(
    isGenuine(new TextEncoder().encode(body), id, timestamp, signatures, secrets.split(" "), Number(now)),
  );
}
