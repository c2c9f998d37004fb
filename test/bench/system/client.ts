import { PAYLOAD } from "../payload";
import type { Program } from "./program";

/** An endpoint to create: its URL, unless its receiver reads, and its owner's settings. */
export type NewEndpoint = ({ url: string } | { delivery: "pull" }) & Record<string, unknown>;

/** Gives a request a unique key, written into its bytes before it is sent. */
export const KEY_DIGITS = "0".repeat(16);

/** Registrations sent at the same time. */
const REGISTER_AT_ONCE = 32;
const EVENT = "order.created";
const PLAN = "bench-limited";
/** A month's limit that is never reached, but counted. */
const MONTH = 1_000_000_000;

/** Calls a system's API as one user. */
export class Client {
  constructor(
    private readonly program: Program,
    private readonly port: number,
    private readonly headers: Record<string, string> = program.headers,
  ) {}

  /** Creates endpoints. Resolves with their ids in the same order. */
  async register(endpoints: readonly NewEndpoint[]): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < endpoints.length; i += REGISTER_AT_ONCE) {
      const part = endpoints.slice(i, i + REGISTER_AT_ONCE);
      ids.push(...(await Promise.all(part.map((each) => this.create("POST", "/endpoints", each, "id")))));
    }
    return ids;
  }

  /** Creates an endpoint. Resolves with its signing secret as well. */
  async registerSigned(endpoint: NewEndpoint): Promise<{ id: string; secret: string }> {
    const { id, signing_secret } = await this.ask("POST", "/endpoints", endpoint);
    return { id: String(id), secret: String(signing_secret) };
  }

  async change(endpointId: string, changes: object): Promise<void> {
    await this.ask("PATCH", `/endpoints/${endpointId}`, changes);
  }

  /** Removes an endpoint, which cancels what waits for it. */
  async remove(endpointId: string): Promise<void> {
    await this.ask("DELETE", `/endpoints/${endpointId}`);
  }

  /** Creates an account, with or without a monthly limit, and returns its user. */
  async account(isLimited: boolean): Promise<Client> {
    const plan = { requests_per_minute: null, webhooks_per_month: MONTH };
    if (isLimited) await this.create("PUT", `/admin/plans/${PLAN}`, plan, "name");
    const account = { name: "bench", plan: isLimited ? PLAN : "unlimited" };
    const id = await this.create("POST", "/admin/accounts", account, "id");
    const key = await this.create("POST", `/admin/accounts/${id}/keys`, {}, "key");
    return new Client(this.program, this.port, { ...this.headers, authorization: `Bearer ${key}` });
  }

  /** Returns the bytes of a request that sends a payload to an endpoint. */
  requestTo(endpointId: string, { isKeyed = false, orderingKey = "" } = {}): Buffer {
    const key = orderingKey && `"ordering_key":${JSON.stringify(orderingKey)},`;
    const body = `{"endpoint_id":"${endpointId}","event":"${EVENT}",${key}"data":${PAYLOAD}}`;
    const headers = isKeyed && { "idempotency-key": `${Bun.randomUUIDv7()}-${KEY_DIGITS}` };
    return this.bytesOf("/webhooks", body, headers || {});
  }

  /** Returns the bytes of a request that sends an event to all endpoints of the account. */
  eventRequest(): Buffer {
    return this.bytesOf("/events", `{"event":"${EVENT}","data":${PAYLOAD}}`);
  }

  get(path: string): Promise<Response> {
    return fetch(this.urlOf(path), { headers: this.headers });
  }

  post(path: string, body: string): Promise<Response> {
    return fetch(this.urlOf(path), { method: "POST", headers: this.headers, body });
  }

  private bytesOf(path: string, body: string, headers: Record<string, string> = {}): Buffer {
    const all = {
      host: `127.0.0.1:${this.port}`,
      ...this.headers,
      ...headers,
      "content-length": String(Buffer.byteLength(body)),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`POST ${this.program.prefix}${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  }

  /** Resolves with a field of the answer. */
  private async create(method: "POST" | "PUT", path: string, body: object, field: string): Promise<string> {
    const { [field]: value } = await this.ask(method, path, body);
    if (typeof value === "string") return value;
    throw new Error(`${this.program.name} answered ${method} ${path} without ${field}`);
  }

  private async ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const sent = body && { body: JSON.stringify(body) };
    const response = await fetch(this.urlOf(path), { method, headers: this.headers, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${this.program.name} refused ${method} ${path}: ${text}`);
    return JSON.parse(text);
  }

  private urlOf(path: string): string {
    return `http://127.0.0.1:${this.port}${this.program.prefix}${path}`;
  }
}
