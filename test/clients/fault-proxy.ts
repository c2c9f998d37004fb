import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Refusal = { status: number; retryAfter?: string; body?: string; location?: string };

/** What the proxy does with a request. The service carries it out if only its answer is lost. */
export type Fault = Refusal | { lost: "request" | "answer" | "half" | "never" } | { cutStream: true };

export type SeenRequest = { method: string; path: string; key: string | null };

/** The traffic of one case: its n-th request meets the n-th fault. */
export type Traffic = { faults: readonly (Fault | null)[]; seen: SeenRequest[] };

/** Stands in front of a service at `/<case>/v1/…`, and makes the faults of each case. */
export async function faultProxy(target: string, traffic: readonly Traffic[]) {
  const server = createServer((request, response) => {
    answer(target, traffic, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

async function answer(
  target: string,
  traffic: readonly Traffic[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, at = "", ...rest] = (request.url ?? "").split("/");
  const current = traffic[Number(at)];
  if (!current) return void response.writeHead(404).end();
  const path = `/${rest.join("/")}`;
  const fault = current.faults[current.seen.length] ?? null;
  const key = request.headers["idempotency-key"];
  current.seen.push({ method: request.method ?? "", path, key: typeof key === "string" ? key : null });
  const body = await Array.fromAsync(request);
  if (fault && "status" in fault) return refuse(response, fault);
  if (fault && "lost" in fault && fault.lost === "never") return;
  if (fault && "lost" in fault && fault.lost === "request") return void request.socket.destroy();
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const answered = await fetch(target + path, {
    method: request.method ?? "GET",
    headers: headersOf(request),
    ...(body.length > 0 && { body: Buffer.concat(body) }),
    redirect: "manual",
    signal: gone.signal,
  });
  if (fault && "lost" in fault && fault.lost === "answer") return void request.socket.destroy();
  const headers = Object.fromEntries(answered.headers);
  if (fault && "lost" in fault) return breakOff(response, answered, headers);
  delete headers["content-encoding"];
  delete headers["content-length"];
  response.writeHead(answered.status, headers);
  for await (const chunk of answered.body ?? []) {
    const end = fault ? endOfFirstEvent(chunk) : null;
    if (end !== null) return void response.write(chunk.subarray(0, end), () => cut(response));
    response.write(chunk);
  }
  response.end();
}

/** Returns a place in the event behind the first one; null if the chunk has none. */
function endOfFirstEvent(chunk: Uint8Array): number | null {
  const data = Buffer.from(chunk).indexOf("data:");
  return data === -1 ? null : Buffer.from(chunk).indexOf("\n\n", data) + 20;
}

function refuse(response: ServerResponse, { status, retryAfter, location, body = "" }: Refusal) {
  const headers = {
    ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    ...(location !== undefined && { location }),
  };
  response.writeHead(status, headers).end(body);
}

async function breakOff(response: ServerResponse, answered: Response, headers: Record<string, string>) {
  const whole = Buffer.from(await answered.arrayBuffer());
  response.writeHead(answered.status, { ...headers, "content-length": String(whole.length) });
  response.write(whole.subarray(0, whole.length / 2), () => cut(response));
}

/** Closes the connection once what was written is on its way. */
function cut(response: ServerResponse): void {
  setImmediate(() => response.socket?.destroy());
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { host: _host, connection: _connection, "content-length": _length, ...rest } = headers;
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
}
