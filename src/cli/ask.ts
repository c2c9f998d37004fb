import type { Transport } from "../client/transport";
import type { ApiOperation } from "./document";

/** An operation's input, by the names of its arguments. */
export type NamedInput = {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
};

/** Calls any operation. */
export async function ask(
  http: Transport,
  { method, path, body, takesKey }: ApiOperation,
  input: NamedInput,
): Promise<object> {
  const asked = body.length > 0 ? input : { path: input.path, query: input.query };
  // Otherwise a retry after a lost answer would lose an endpoint's secret or a key's text, which is shown only once.
  const options = takesKey ? { idempotencyKey: crypto.randomUUID() } : {};
  return (await http.ask(method, path, asked, options)) as object;
}
