import { type EgressProxy, openTunnel } from "../attempt/connections/egress-proxy";
import type { Keep } from "../attempt/connections/socket";
import { ProxyFailure } from "../attempt/failure";
import { describeError } from "../runtime/log";
import type { Config } from "../service/config";
import { type Finding, type Findings, findingsOf } from "./finding";

/** The proxy must answer within this time. */
const ANSWER_MS = 5_000;
/** A name that never exists (RFC 6761). The proxy judges the request by its rules, and then connects to nobody. */
const NOBODY = "hermod-doctor.invalid";

/** Checks that the proxy of HERMOD_EGRESS_PROXY opens tunnels to the usual ports of receivers. */
export async function checkEgressProxy({ egressProxy, requireHttps }: Config): Promise<readonly Finding[]> {
  const found = findingsOf("proxy");
  if (egressProxy === null) return found.all;
  const ports = requireHttps ? [443] : [443, 80];
  const refusals = await Promise.all(ports.map((port) => refusalOf(egressProxy, port)));
  const broken = refusals.find((refusal) => refusal !== null && refusal.status === null);
  if (broken) found.fault(problemOf(broken));
  else ports.forEach((port, i) => void judge(port, refusals[i]?.status ?? 200, found));
  return found.all;
}

/** Asks for a tunnel to nobody. Resolves to null if the proxy opens it. */
async function refusalOf(proxy: EgressProxy, port: number): Promise<ProxyFailure | null> {
  const deadline = AbortSignal.timeout(ANSWER_MS);
  const keep: Keep = (socket) => {
    deadline.addEventListener("abort", () => socket.destroy());
    return socket.on("error", () => {});
  };
  try {
    const socket = await openTunnel(`${NOBODY}:${port}`, proxy, keep);
    socket.destroy();
    return null;
  } catch (error) {
    // This machine could not open a connection.
    if (!(error instanceof ProxyFailure)) return new ProxyFailure("proxy_unreachable", { cause: error });
    return deadline.aborted ? new ProxyFailure("proxy_timeout") : error;
  }
}

/** Says what is wrong with a proxy that gave no status, or that wants other credentials. */
function problemOf({ reason, cause }: ProxyFailure): string {
  switch (reason) {
    case "proxy_unreachable":
      return `can't be reached: ${describeError(cause).error}. Check HERMOD_EGRESS_PROXY, and that this machine reaches the proxy.`;
    case "proxy_timeout":
      return `does not answer within ${ANSWER_MS} ms. Check HERMOD_EGRESS_PROXY, and the proxy's log.`;
    case "proxy_credentials":
      return "refuses the user and password of HERMOD_EGRESS_PROXY: correct them";
    case "tunnel_refused":
      return "gives no answer in HTTP. Check HERMOD_EGRESS_PROXY: it must name an HTTP proxy.";
  }
}

/** Judges the status of the proxy's answer. It is a 5xx if the proxy would have opened a tunnel to somebody. */
function judge(port: number, status: number, found: Findings): void {
  const request = `a request for a tunnel to port ${port}`;
  const refused = `answers ${request} with status ${status}`;
  if (status < 300 || (status >= 500 && status !== 501)) found.ok(`accepts ${request}`);
  else if (status === 403)
    found.warning(`${refused}: allow CONNECT to this port, unless the proxy has a list of receivers`);
  else found.fault(`${refused}: let it open tunnels (CONNECT)`);
}
