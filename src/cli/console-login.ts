import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import {
  bytesOf,
  hexOf,
  LOGIN_PATH,
  type LoginRequest,
  loginCode,
  loginQuery,
  SEALING,
} from "../domain/console-login";
import { CommandFailed } from "./failure";

const BITS = { modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) };
const HEADERS = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };

/** Waits on a loopback address for the key that a person gives in the console. */
export class ConsoleLogin implements AsyncDisposable {
  private readonly answer = Promise.withResolvers<string>();

  private constructor(
    private readonly server: Server,
    private readonly privateKey: CryptoKey,
    private readonly request: LoginRequest,
  ) {
    server.on("request", (request, response) => {
      const query = new URL(request.url ?? "/", "http://127.0.0.1").searchParams;
      const isOurs = isEqual(query.get("state") ?? "", this.request.state);
      response.writeHead(isOurs ? 200 : 404, HEADERS);
      const text = isOurs
        ? "Done. Close this page, and go on in the terminal.\n"
        : "This page is not known.\n";
      response.end(text, () => isOurs && this.answer.resolve(query.get("sealed") ?? ""));
    });
  }

  static async open(): Promise<ConsoleLogin> {
    const pair = await crypto.subtle.generateKey({ ...SEALING, ...BITS }, true, ["encrypt", "decrypt"]);
    const publicKey = hexOf(new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)));
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const state = hexOf(crypto.getRandomValues(new Uint8Array(32)));
    return new ConsoleLogin(server, pair.privateKey, { port, state, publicKey, machine: hostname() });
  }

  /** Returns the address of the page that asks the person. */
  pageOf(url: string): string {
    return `${url.replace(/\/$/, "")}${LOGIN_PATH}?${loginQuery(this.request)}`;
  }

  /** The code that the page must show too. */
  code(): Promise<string> {
    return loginCode(this.request);
  }

  /** Resolves with the key. Rejects if the answer was not encrypted for it. */
  async key(): Promise<string> {
    const sealed = bytesOf(await this.answer.promise);
    try {
      return new TextDecoder().decode(await crypto.subtle.decrypt(SEALING.name, this.privateKey, sealed));
    } catch {
      throw new CommandFailed("The page's answer was not encrypted for this command");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
