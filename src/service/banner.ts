import type { Config } from "./config";

/** Returns the service's address on this machine. */
export function baseUrlOf(config: Config, port: number): string {
  const host = ["0.0.0.0", "::"].includes(config.host) ? "127.0.0.1" : config.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Returns the text that shows a newcomer how to send a first webhook. Not for production, since it contains the key. */
export function banner(config: Config, port: number, adminKey: string): string {
  const base = baseUrlOf(config, port);
  const open = config.allowPrivateNetworks ?? "loopback and private networks";
  return `
  Hermod is running.

    API      ${base}/v1
    Docs     ${base}/swagger${config.console ? `\n    Console  ${base}/console` : ""}
    Key      ${adminKey}

  Register an endpoint:

    curl -s ${base}/v1/endpoints -H 'Authorization: Bearer ${adminKey}' -H 'Content-Type: application/json' -d '{"url":"http://127.0.0.1:4000/hooks"}'

  Development mode: webhooks may go to ${open}. Set NODE_ENV=production for the strict defaults.
`;
}
