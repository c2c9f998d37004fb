/** An answer of the API with what it says in its body. */
export type Answer = { status: number; headers: Headers; body: unknown };

/** Speaks to one API process with the key of the account `default`. */
export class HermodClient {
  constructor(
    readonly baseUrl: string,
    private readonly key: string,
  ) {}

  async ask(method: string, path: string, body?: unknown, timeoutMs = 20_000): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
  }

  /** `fields` are further ones of the endpoint. */
  async newEndpoint(url: string, fields: object = {}): Promise<{ endpoint: string; secret: string }> {
    const { status, body } = await this.ask("POST", "/endpoints", { url, ...fields });
    if (status !== 201) throw new Error(`no endpoint: ${status} ${JSON.stringify(body)}`);
    return { endpoint: textIn(body, "id"), secret: textIn(body, "signing_secret") };
  }

  async deleteEndpoint(endpoint: string): Promise<void> {
    const { status } = await this.ask("DELETE", `/endpoints/${endpoint}`);
    if (status !== 200) throw new Error(`the endpoint was not deleted: ${status}`);
  }

  async changeEndpoint(endpoint: string, fields: object): Promise<void> {
    const { status, body } = await this.ask("PATCH", `/endpoints/${endpoint}`, fields);
    if (status !== 200) throw new Error(`the endpoint was not changed: ${status} ${JSON.stringify(body)}`);
  }

  async isActive(endpoint: string): Promise<boolean> {
    const { body } = await this.ask("GET", `/endpoints/${endpoint}`);
    return fieldOf(body, "is_active") === true;
  }

  /** The account's figures. */
  async stats(): Promise<{ total: number; delivered: number; failed: number; pending: number }> {
    const { status, body } = await this.ask("GET", "/stats");
    if (status !== 200) throw new Error(`no stats: ${status}`);
    return {
      total: numberIn(body, "total_deliveries"),
      delivered: numberIn(body, "delivered"),
      failed: numberIn(body, "failed"),
      pending: numberIn(body, "pending"),
    };
  }
}

export function textIn(body: unknown, name: string): string {
  const value = fieldOf(body, name);
  if (typeof value !== "string") throw new Error(`no ${name} in ${JSON.stringify(body)}`);
  return value;
}

function numberIn(body: unknown, name: string): number {
  const value = fieldOf(body, name);
  if (typeof value !== "number") throw new Error(`no ${name} in ${JSON.stringify(body)}`);
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
