import type { Client, Json } from "../../http/client";
import { type UntilOptions, until } from "./until";

/**
 * Returns a function that repeats a request until it is answered with something else than a 503. Answers that are no success go to
 * `wrong`.
 */
export function patientRequests(wrong: string[], patience: UntilOptions) {
  return (client: Client, method: string, path: string, body?: unknown, key?: string): Promise<Json> =>
    until(async () => {
      const answer = await client.ask(method, path, body, key ? { "idempotency-key": key } : {});
      if (answer.status === 503) return null;
      if (answer.status >= 300) wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    }, patience);
}
