import { type EndpointChanges, Hermod, type NewEndpoint } from "../../../src/client";

/** An answer of the API, with its parsed body. */
export type Answer = { status: number; headers: Headers; body: unknown };

/** Calls one API process with the key of the account `default`. */
export class HermodClient {
  /** Our client library, without retries, so that a test sees every failure. */
  readonly api: Hermod;
  /** With retries, for what a test sets up: a busy machine may refuse some of it. */
  private readonly patient: Hermod;

  constructor(
    readonly baseUrl: string,
    private readonly key: string,
  ) {
    const options = { url: baseUrl, key, timeoutMs: 20_000 };
    this.api = new Hermod({ ...options, maxRetries: 0 });
    // A POST without a key is not repeated.
    const newIdempotencyKey = () => crypto.randomUUID();
    this.patient = new Hermod({ ...options, maxRetries: 5, newIdempotencyKey });
  }

  /** Sends any request, even one that a client library would not send. */
  async ask(method: string, path: string, body?: unknown, timeoutMs = 20_000): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
  }

  /** Creates an endpoint. `fields` are further fields of it. */
  async newEndpoint(
    url: string,
    fields: Partial<NewEndpoint> = {},
  ): Promise<{ endpoint: string; secret: string }> {
    const { id, signing_secret } = await this.patient.endpoints.create({ url, ...fields });
    return { endpoint: id, secret: signing_secret };
  }

  async deleteEndpoint(endpoint: string): Promise<void> {
    await this.api.endpoints.delete(endpoint);
  }

  async changeEndpoint(endpoint: string, fields: EndpointChanges): Promise<void> {
    await this.api.endpoints.update(endpoint, fields);
  }

  async isActive(endpoint: string): Promise<boolean> {
    return (await this.api.endpoints.get(endpoint)).is_active;
  }

  /** Returns the account's figures. */
  async stats(): Promise<{ total: number; delivered: number; failed: number; pending: number }> {
    const { total_deliveries: total, delivered, failed, pending } = await this.api.stats();
    return { total, delivered, failed, pending };
  }
}

export function textIn(body: unknown, name: string): string {
  const value = fieldOf(body, name);
  if (typeof value !== "string") throw new Error(`no ${name} in ${JSON.stringify(body)}`);
  return value;
}

export function fieldOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
