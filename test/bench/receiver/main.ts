// The receiver of all runs: POST /<run>/<endpoint> is a delivery, /control/<run> prepares and reports a run.
import { machineNow } from "../clock";
import { CERTIFICATE, KEY } from "./certificate";
import { type Order, Tally, type TallyOptions } from "./tally";

const tallies = new Map<string, Tally>();

const common = {
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  fetch: (request: Request) => {
    const { url } = request;
    const path = url.slice(url.indexOf("/", 8) + 1);
    const slash = path.indexOf("/");
    const [run, rest] = [path.slice(0, slash), path.slice(slash + 1)];
    return run === "control" ? control(request, rest) : receive(request, run, rest);
  },
};

async function receive(request: Request, run: string, endpointName: string): Promise<Response> {
  const arrivedAt = machineNow();
  const tally = tallies.get(run);
  if (!tally) return new Response(null, { status: 404 });
  if (tally.isRefused(endpointName, request.headers.get("webhook-attempt"))) {
    return new Response(null, { status: 500 });
  }
  const endpoint = tally.begin(endpointName, Number(request.headers.get("webhook-sequence")));
  if (tally.isTimed(endpointName)) tally.noteTime(await request.text(), arrivedAt);
  if (tally.options.delayMs > 0) await Bun.sleep(tally.options.delayMs);
  if (tally.held) await tally.held;
  endpoint.inFlight--;
  return new Response(null);
}

async function control(request: Request, run: string): Promise<Response> {
  if (request.method === "PUT") tallies.set(run, new Tally((await request.json()) as TallyOptions));
  if (request.method === "DELETE") tallies.delete(run);
  if (request.method === "PATCH") tallies.get(run)?.obey((await request.json()) as Order);
  return Response.json(tallies.get(run)?.report() ?? null);
}

const plain = Bun.serve(common);
const secure = Bun.serve({ ...common, tls: { key: KEY, cert: CERTIFICATE } });

console.log(`ready http://127.0.0.1:${plain.port} https://127.0.0.1:${secure.port}`);
