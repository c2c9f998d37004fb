import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { CLIENT_ID, type Claims } from "./provider";

/** Starts a provider that takes a code any number of times, and signs whatever claims it is told, `sub` included. */
export async function startHostileProvider() {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "1", alg: "RS256" }];
  const state = { token: {} as Claims, userinfo: {} as Claims, nonce: "" };
  let issuer = "";
  const idToken = (): Promise<string> =>
    new SignJWT({ sub: "person-1", nonce: state.nonce, ...state.token })
      .setProtectedHeader({ alg: "RS256", kid: "1" })
      .setIssuedAt()
      .setIssuer(issuer)
      .setAudience(CLIENT_ID)
      .setExpirationTime("1m")
      .sign(privateKey);
  const answerTo = async ({ url }: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    if (pathname === "/authorize") {
      state.nonce = searchParams.get("nonce") ?? "";
      const answer = new URLSearchParams({ code: "again", state: searchParams.get("state") ?? "" });
      return Response.redirect(`${searchParams.get("redirect_uri")}?${answer}`);
    }
    if (pathname === "/token")
      return Response.json({ access_token: "a", token_type: "Bearer", id_token: await idToken() });
    if (pathname === "/userinfo") return Response.json({ sub: "person-1", ...state.userinfo });
    if (pathname === "/jwks") return Response.json({ keys });
    return Response.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    });
  };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answerTo });
  issuer = `http://127.0.0.1:${server.port}`;
  return {
    issuer,
    /** Says what the ID token and the userinfo endpoint claim about who signs in next. */
    claims: (token: Claims, userinfo: Claims = {}) => {
      state.token = token;
      state.userinfo = userinfo;
    },
    stop: () => server.stop(true),
  };
}
