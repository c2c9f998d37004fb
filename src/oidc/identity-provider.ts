import * as openid from "openid-client";
import type { Person } from "../domain/role";
import { boundedFetch } from "../runtime/bounded-fetch";
import { type Claims, claimIn, personIn, type RoleSettings, subjectProblem, verifierOf } from "./claims";
import { failed, OtherIssuer, ownIssuerIn, refusalFor, type SignInRefusal } from "./sign-in-refusal";

export type OidcSettings = RoleSettings &
  Readonly<{
    issuer: string;
    clientId: string;
    clientSecret: string;
    scopes: string;
    /** Seconds after which a person's session ends, so that a changed role counts. */
    sessionSeconds: number;
  }>;

/** Secrets that bind the provider's answer to the browser that began the sign-in. */
export type SignInSecrets = Readonly<{ state: string; nonce: string; verifier: string }>;

type SignInResult<T> = Readonly<{ ok: T } | { refusal: SignInRefusal }>;

/** Where the provider sends the browser back to, at the origin of Hermod. */
export const CALLBACK = "/console/oidc/callback";

/** The provider must answer within this time. */
const TIMEOUT_S = 10;
/** Most bytes of an answer of the provider: addresses, keys, tokens or claims. They are parsed within a few milliseconds. */
export const ANSWER_LIMIT = 65_536;
/** The provider's clock may differ by this many seconds. */
const CLIENT = { [openid.clockTolerance]: 30 };

/**
 * An OpenID Connect provider that signs people in: authorization code flow with PKCE, state and nonce. Its addresses and
 * keys are read at the first sign-in, so that Hermod starts without it.
 */
export class IdentityProvider {
  private discovered: Promise<openid.Configuration> | null = null;

  constructor(private readonly settings: OidcSettings) {}

  /** How long a person's session lasts. */
  get sessionSeconds(): number {
    return this.settings.sessionSeconds;
  }

  /** Returns the provider's page that the browser goes to. */
  async begin(redirectUri: string, secrets: SignInSecrets): Promise<SignInResult<URL>> {
    try {
      const provider = await this.configuration();
      return { ok: await signInPage(provider, redirectUri, this.settings.scopes, secrets) };
    } catch (error) {
      return { refusal: refusalFor(error) };
    }
  }

  /** Exchanges the code in the provider's answer, the URL that the browser came back to, for a person. */
  async finish(answer: URL, { state, nonce, verifier }: SignInSecrets): Promise<SignInResult<Person>> {
    try {
      const configuration = await this.configuration();
      const tokens = await openid.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      });
      const claims = tokens.claims();
      if (claims === undefined) return { refusal: failed("there is no ID token") };
      return this.personOf(await this.allClaims(configuration, tokens.access_token, claims), claims.sub);
    } catch (error) {
      return { refusal: refusalFor(error) };
    }
  }

  /** Adds the claims of the provider's userinfo endpoint if the role, or what verifies it, is not in the ID token. */
  private async allClaims(
    configuration: openid.Configuration,
    accessToken: string,
    claims: openid.IDToken,
  ): Promise<Claims> {
    const { roleClaim } = this.settings;
    const needed = roleClaim === "email" ? [roleClaim, verifierOf(roleClaim)] : [roleClaim];
    const isComplete = needed.every((name) => claimIn(claims, name) !== undefined);
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await userinfoOf(configuration, accessToken, claims.sub)), ...claims };
  }

  private personOf(claims: Claims, subject: string): SignInResult<Person> {
    const problem = subjectProblem(subject);
    if (problem !== null) return { refusal: failed(problem) };
    const { role, ...person } = personIn(claims, subject, this.settings);
    if (role !== null) return { ok: { ...person, role } };
    const { roleClaim } = this.settings;
    const value = JSON.stringify(claimIn(claims, roleClaim))?.slice(0, 500) ?? "missing";
    const verified = claimIn(claims, verifierOf(roleClaim));
    const verification =
      verified === undefined ? "" : `, ${verifierOf(roleClaim)} is ${JSON.stringify(verified)}`;
    const detail = `${roleClaim} of ${person.name} is ${value}${verification}`;
    return { refusal: { kind: "no_role", detail, said: null } };
  }

  private configuration(): Promise<openid.Configuration> {
    this.discovered ??= discover(this.settings).catch((error) => {
      this.discovered = null;
      throw error;
    });
    return this.discovered;
  }
}

/** Reads the provider's addresses. Rejects if it can't be reached or is another one. */
export async function discover(settings: OidcSettings): Promise<openid.Configuration> {
  const { issuer } = settings;
  try {
    return await discoverAt(issuer, settings);
  } catch (error) {
    const own = ownIssuerIn(error);
    if (own === null) throw error;
    if (withoutSlash(own) !== withoutSlash(issuer)) throw new OtherIssuer(issuer, own);
    return discoverAt(own, settings);
  }
}

/** Returns an issuer without the slash at its end, by which people's copies and the providers' own names often differ. */
function withoutSlash(issuer: string): string {
  return new URL(issuer).href.replace(/\/$/, "");
}

function discoverAt(issuer: string, { clientId, clientSecret }: OidcSettings): Promise<openid.Configuration> {
  return openid.discovery(new URL(issuer), clientId, CLIENT, authenticationBy(clientSecret), {
    execute: extensionsAt(issuer),
    timeout: TIMEOUT_S,
    [openid.customFetch]: boundedFetch(ANSWER_LIMIT),
  });
}

function extensionsAt(issuer: string): ((provider: openid.Configuration) => void)[] {
  const checks = [openid.enableNonRepudiationChecks];
  return new URL(issuer).protocol === "http:" ? [...checks, openid.allowInsecureRequests] : checks;
}

/**
 * Reads the claims of the userinfo endpoint, also signed ones. A provider that does not name the algorithms of their signatures
 * signs them as its ID tokens.
 */
async function userinfoOf(
  provider: openid.Configuration,
  accessToken: string,
  subject: string,
): Promise<Claims> {
  const { supportsPKCE: _, ...server } = provider.serverMetadata();
  const { id_token_signing_alg_values_supported: algorithms } = server;
  const named = { userinfo_signing_alg_values_supported: algorithms, ...server };
  const reader = new openid.Configuration(named, provider.clientMetadata().client_id, CLIENT);
  reader.timeout = TIMEOUT_S;
  reader[openid.customFetch] = boundedFetch(ANSWER_LIMIT);
  for (const extend of extensionsAt(server.issuer)) extend(reader);
  return openid.fetchUserInfo(reader, accessToken, subject);
}

/** Sends the secret in a way that the provider supports; in the Authorization header if it names none (RFC 8414). */
function authenticationBy(secret: string): openid.ClientAuth {
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (taken.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** Returns the page on which a person begins to sign in. */
export async function signInPage(
  provider: openid.Configuration,
  redirectUri: string,
  scope: string,
  { state, nonce, verifier }: SignInSecrets,
): Promise<URL> {
  return openid.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
}
