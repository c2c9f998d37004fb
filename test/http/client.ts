import { expect } from "bun:test";
import type { AccountId } from "../../src/domain/ids";

/** JSON of any shape, typed loosely: a test that reads a missing field fails. */
export type Json = ReturnType<typeof JSON.parse>;

export type Answer = { status: number; body: Json; text: string; headers: Headers };

/** Calls the API with one key. Paths are relative to /v1. */
export class Client {
  constructor(
    readonly url: string,
    readonly accountId: AccountId,
    readonly key: string,
  ) {}

  /** Returns a client with the same key for another process. */
  at(url: string): Client {
    return new Client(url, this.accountId, this.key);
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.ask("GET", path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.ask("POST", path, body, headers);
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.ask("PATCH", path, body);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.ask("PUT", path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.ask("DELETE", path);
  }

  /** Sends a string or bytes unchanged as the body. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(`${this.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    });
    return answerOf(response);
  }

  /** Returns the body of an answer that must have this status. */
  async expecting(status: number, answer: Promise<Answer>): Promise<Json> {
    const { status: actual, body, text } = await answer;
    expect({ status: actual, text }).toEqual({ status, text });
    return body;
  }

  /** Creates an endpoint of this account. */
  newEndpoint(fields: Record<string, unknown> = {}): Promise<Json> {
    return this.expecting(201, this.post("/endpoints", { url: "https://example.com/hooks", ...fields }));
  }

  /** Sends a delivery. */
  send(endpointId: string, event?: string, data: unknown = {}): Promise<Json> {
    return this.expecting(201, this.post("/webhooks", { endpoint_id: endpointId, event, data }));
  }
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    body: isJson && text !== "" ? JSON.parse(text) : null,
    text,
    headers: response.headers,
  };
}

/** Checks the published shape of an error. */
export function expectError(answer: Answer, status: number, code: string, message?: string | RegExp): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { error: { code, message: expect.any(String) } },
  });
  if (message !== undefined) expect(answer.body.error.message).toMatch(message);
}
