import { hkdfSync, randomBytes } from "node:crypto";
import { Value } from "@sinclair/typebox/value";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import { ErrorCode, type NatsConnection, NatsError, StringCodec } from "nats";
import { Voucher } from "../accounts/authentication/voucher";
import { ANSWER_MS } from "./questions";

const ALGORITHM = "HS256";
const NONCE_BYTES = 16;
const text = StringCodec();

/**
 * Signs questions and answers about administrators. Derived from the admin key, which all cells have, so nobody who lacks the admin key
 * can forge either, not even on the directory's NATS.
 */
export type VoucherKey = Uint8Array;

export function voucherKeyOf(adminKey: string): VoucherKey {
  return new Uint8Array(hkdfSync("sha256", adminKey, "", "hermod vouchers of cells", 32));
}

export type VoucherChannel = Readonly<{ nats: NatsConnection; key: VoucherKey }>;

/**
 * Asks a cell for the administrator whose token has this hash. Null if it is no administrator's, or the cell is not connected, or
 * has another admin key. Throws if the cell hangs. The nonce makes an answer good for one question, whatever the clocks say.
 */
export async function askForVoucher(
  { nats, key }: VoucherChannel,
  cell: string,
  hash: string,
): Promise<Voucher | null> {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  const about = { jti: nonce, sub: hash };
  try {
    const question = await sealed(key, { ...about, aud: `question ${cell}` });
    const { data } = await nats.request(subjectOf(cell), text.encode(question), { timeout: ANSWER_MS });
    const answer = await opened(key, text.decode(data), `answer ${cell}`);
    const isOfQuestion = answer?.jti === nonce && answer.sub === hash;
    return isOfQuestion && Value.Check(Voucher, answer.voucher) ? answer.voucher : null;
  } catch (error) {
    if (error instanceof NatsError && error.code === ErrorCode.NoResponders) return null;
    throw error;
  }
}

/** Answers other cells' questions about administrators. A question by another admin key gets an empty answer. */
export function answerForAdministrators(
  { nats, key }: VoucherChannel,
  cell: string,
  find: (hash: string) => Promise<Voucher | null>,
): void {
  nats.subscribe(subjectOf(cell), {
    queue: cell,
    callback: async (error, message) => {
      if (error) return;
      const question = await opened(key, text.decode(message.data), `question ${cell}`);
      const { jti, sub } = question ?? {};
      if (sub === undefined) return void message.respond();
      try {
        const voucher = await find(sub);
        message.respond(text.encode(await sealed(key, { jti, sub, voucher, aud: `answer ${cell}` })));
      } catch {
        // Postgres is away: the asker counts this cell as silent.
      }
    },
  });
}

function subjectOf(cell: string): string {
  return `hermod.cells.${cell}.vouches`;
}

function sealed(key: VoucherKey, payload: JWTPayload): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: ALGORITHM }).sign(key);
}

/** Returns the payload; null for a text that was not sealed by this key for this purpose. */
async function opened(key: VoucherKey, jwt: string, audience: string): Promise<JWTPayload | null> {
  try {
    return (await jwtVerify(jwt, key, { algorithms: [ALGORITHM], audience })).payload;
  } catch {
    return null;
  }
}
