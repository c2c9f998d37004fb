/** The part of `oidc-provider` that the tests use; the package has no types of its own. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  type Account = { accountId: string; claims(): Record<string, unknown> };

  export type Configuration = {
    clients: Record<string, unknown>[];
    pkce: { required(): boolean };
    claims: Record<string, string[]>;
    cookies: { keys: string[] };
    ttl: Record<string, number | (() => number)>;
    features: { devInteractions: { enabled: boolean } };
    interactions: { url(context: unknown, interaction: { uid: string }): string };
    conformIdTokenClaims: boolean;
    clientAuthMethods: string[];
    findAccount(context: unknown, subject: string): Account;
  };

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: Record<string, unknown> }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    Grant: new (of: {
      accountId: string;
      clientId: string;
    }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
  }
}
