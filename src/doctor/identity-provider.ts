import * as openid from "openid-client";
import { remoteKeySet } from "../accounts/authentication/key-set";
import { CALLBACK, discover, signInPage } from "../oidc/identity-provider";
import { describeError } from "../runtime/log";
import type { Config } from "../service/config";
import { type Finding, type Findings, findingsOf } from "./finding";

/** The provider must answer a request for its sign-in page within this time. */
const ANSWER_MS = 10_000;
/** The errors of a provider that does not know the client or its secret (RFC 6749, 5.2). */
const UNKNOWN_CLIENT = ["invalid_client", "unauthorized_client"];

/** Checks the OpenID Connect provider, as far as it shows without a person who signs in. */
export async function checkIdentityProvider({ oidc, publicUrl, port }: Config): Promise<readonly Finding[]> {
  const found = findingsOf("oidc");
  if (oidc === null) return found.all;
  const callback = (publicUrl ?? `http://localhost:${port}`) + CALLBACK;
  try {
    const provider = await discover(oidc);
    const { jwks_uri } = provider.serverMetadata();
    if (jwks_uri === undefined) throw new Error("its discovery document names no jwks_uri");
    await remoteKeySet(jwks_uri).reload();
    found.ok(`${oidc.issuer} answers, and publishes its keys`);
    if ((await checkClient(provider, callback, found)) && publicUrl !== null)
      await checkCallback(provider, callback, oidc.scopes, found);
  } catch (error) {
    found.fault(
      `can't be used: ${describeError(error).error}. Check HERMOD_OIDC_ISSUER, and that this machine reaches it.`,
    );
  }
  return found.all;
}

/** Exchanges a code that does not exist. The provider checks the client and its secret first. Returns false if it refuses them. */
async function checkClient(
  provider: openid.Configuration,
  callback: string,
  found: Findings,
): Promise<boolean> {
  const { client_id } = provider.clientMetadata();
  const nothing = {
    code: "hermod-doctor",
    redirect_uri: callback,
    code_verifier: openid.randomPKCECodeVerifier(),
  };
  const refusal: unknown = await openid
    .genericGrantRequest(provider, "authorization_code", nothing)
    .catch((error) => error);
  const code = refusal instanceof openid.ResponseBodyError ? refusal.error : null;
  const isUnknown =
    refusal instanceof openid.WWWAuthenticateChallengeError || UNKNOWN_CLIENT.includes(code ?? "");
  if (isUnknown)
    found.fault(`refuses the client ${client_id}: check HERMOD_OIDC_CLIENT_ID and HERMOD_OIDC_CLIENT_SECRET`);
  else if (code === "invalid_grant") found.ok(`accepts the client ${client_id}`);
  else
    found.warning(
      `does not show whether it accepts the client ${client_id}: ${code ?? describeError(refusal).error}. Sign in once.`,
    );
  return !isUnknown;
}

/** Asks for the sign-in page. Most providers refuse there to send the browser to an address that is not registered. */
async function checkCallback(
  provider: openid.Configuration,
  callback: string,
  scope: string,
  found: Findings,
): Promise<void> {
  const page = await signInPage(provider, callback, scope, {
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
  });
  const { status } = await fetch(page, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
  if (status >= 500 || status === 429)
    found.warning(`answers a sign-in with status ${status}: run the check again later`);
  else if (status >= 400)
    found.fault(`answers a sign-in with status ${status}: register the address ${callback} for the client`);
  else found.ok(`begins a sign-in that leads back to ${callback}`);
}
