import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { CLIENT_ID, type Claims } from "./provider";

type Refusal = { at: "authorize" | "token"; body: { error: string; error_description?: string } };

/** Starts a provider that takes a code any number of times, and signs whatever claims it is told, `sub` included. */
export async function startHostileProvider() {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "1", alg: "RS256" }];
  const stranger = await generateKeyPair("RS256");
  const state = {
    token: {} as Claims,
    userinfo: {} as Claims,
    nonce: "",
    issuer: "",
    refusal: null as Refusal | null,
    parameters: {} as Record<string, string>,
    userinfoKey: null as CryptoKey | null,
  };
  const signed = (claims: Claims, key: CryptoKey): Promise<string> =>
    new SignJWT({ sub: "person-1", iss: state.issuer, aud: CLIENT_ID, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "1" })
      .setIssuedAt()
      .setExpirationTime("1m")
      .sign(key);
  const answerTo = async ({ url }: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    if (pathname === "/authorize") {
      state.nonce = searchParams.get("nonce") ?? "";
      const result = state.refusal?.at === "authorize" ? state.refusal.body : { code: "again" };
      const answer = new URLSearchParams({
        ...result,
        state: searchParams.get("state") ?? "",
        ...state.parameters,
      });
      return Response.redirect(`${searchParams.get("redirect_uri")}?${answer}`);
    }
    if (pathname === "/token" && state.refusal?.at === "token")
      return Response.json(state.refusal.body, { status: 400 });
    if (pathname === "/token") {
      const id_token = await signed({ nonce: state.nonce, ...state.token }, privateKey);
      return Response.json({ access_token: "a", token_type: "Bearer", id_token });
    }
    if (pathname === "/userinfo" && state.userinfoKey !== null) {
      const headers = { "content-type": "application/jwt" };
      return new Response(await signed(state.userinfo, state.userinfoKey), { headers });
    }
    if (pathname === "/userinfo") return Response.json({ sub: "person-1", ...state.userinfo });
    if (pathname === "/jwks") return Response.json({ keys });
    return Response.json({
      issuer: state.issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    });
  };
  let issuer = "";
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answerTo });
  issuer = `http://127.0.0.1:${server.port}`;
  state.issuer = issuer;
  return {
    issuer,
    /** Says what the ID token and the userinfo endpoint claim about who signs in next. */
    claims: (token: Claims, userinfo: Claims = {}) => {
      state.token = token;
      state.userinfo = userinfo;
    },
    /** Signs the answers of the userinfo endpoint: with the published key, or with the key of a stranger. */
    signsUserinfo: (by: "itself" | "stranger" | "nobody") => {
      const keyOf = { itself: privateKey, stranger: stranger.privateKey, nobody: null };
      state.userinfoKey = keyOf[by];
    },
    /** Refuses sign-ins at one of its endpoints; null: refuses none. */
    refuses: (refusal: Refusal | null) => {
      state.refusal = refusal;
    },
    /** Adds to the parameters with which the browser comes back, or replaces them. */
    answersWith: (parameters: Record<string, string>) => {
      state.parameters = parameters;
    },
    /** Changes the issuer in its answers. */
    callsItself: (name: string) => {
      state.issuer = name;
    },
    stop: () => server.stop(true),
  };
}
