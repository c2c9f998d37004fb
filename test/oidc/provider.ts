import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

export const CLIENT_ID = "hermod";
export const CLIENT_SECRET = "secret-of-the-test-client-4821";

/** The provider's claims about the next person who signs in. */
export type Claims = Record<string, unknown>;

export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

type ProviderOptions = {
  port?: number;
  /** The only way to prove the client's secret. */
  authMethod?: "client_secret_basic" | "client_secret_post";
  /** Whether the ID token has all claims; otherwise only the userinfo endpoint gives the roles. */
  hasClaimsInToken?: boolean;
  /** Whether the published keys are not the ones that sign. */
  hasOtherKeys?: boolean;
};

/** The id of the key with which the provider signs. */
const KEY_ID = "keystore-CHANGE-ME";

/**
 * Starts a real OpenID Connect provider that requires PKCE, checks redirect URIs, and takes each code once. Whoever
 * comes is signed in as the `person`, without a page.
 */
export async function startProvider(
  redirectUris: readonly string[],
  {
    port = 0,
    authMethod = "client_secret_basic",
    hasClaimsInToken = false,
    hasOtherKeys = false,
  }: ProviderOptions = {},
) {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = { person: {} as Claims, tokenRequests: 0, userinfoRequests: 0, tokenAge: 0 };
  const client = {
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    redirect_uris: [...redirectUris],
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: authMethod,
  };
  const provider = new Provider(issuer, {
    clients: [client],
    clientAuthMethods: [authMethod],
    conformIdTokenClaims: !hasClaimsInToken,
    pkce: { required: () => true },
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username", "roles", "realm_access"],
      email: ["email"],
    },
    cookies: { keys: ["test"] },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 60,
      IdToken: () => 60 - state.tokenAge,
      Interaction: 60,
      Session: 60,
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...state.person }) }),
  });
  const { publicKey } = await generateKeyPair("RS256");
  const otherKeys = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: "RS256" }],
  });
  const answer = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === "/token") state.tokenRequests++;
    if (request.url === "/me") state.userinfoRequests++;
    if (request.url === "/jwks" && hasOtherKeys)
      response.setHeader("content-type", "application/json").end(otherKeys);
    else if (request.url?.startsWith("/interaction/")) signIn(provider, request, response);
    else answer(request, response);
  });
  return {
    issuer,
    /** Says who signs in next. */
    is: (person: Claims) => {
      state.person = person;
    },
    /** Makes ID tokens that expired earlier by this many seconds. */
    agesTokens: (seconds: number) => {
      state.tokenAge = seconds;
    },
    userinfoRequests: () => state.userinfoRequests,
    tokenRequests: () => state.tokenRequests,
    stop: () =>
      new Promise<void>((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

async function signIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const accountId = "person-1";
  const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
  grant.addOIDCScope(String(params.scope));
  const result = { login: { accountId, remember: false }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}
