import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { AccountId, KeyId, SessionId } from "../../domain/ids";
import { permissionsOf } from "../../domain/permission";
import type { Person } from "../../domain/role";
import { ADMIN_KEY_ID } from "../api-keys";
import type { JwtClaims } from "./jwt";
import type { HomeCell, Principal } from "./principal";
import { csrfTokenOf } from "./session-token";

const orNull = <T extends TSchema>(model: T) => Type.Union([model, Type.Null()]);
const text = <T extends string>() => Type.Unsafe<T>(Type.String());

/**
 * An administrator's key or console session, as its cell describes it to another cell. Says all that decides about a request, and
 * has no secret. Times are Unix milliseconds.
 */
export const Voucher = Type.Object({
  accountId: text<AccountId>(),
  keyId: orNull(text<KeyId>()),
  /** The key's name; null for a person. */
  keyName: orNull(Type.String()),
  permissions: Type.Array(Type.String()),
  expiresAt: orNull(Type.Number()),
  plan: Type.String(),
  requestsPerMinute: orNull(Type.Number()),
  session: orNull(
    Type.Object({
      id: text<SessionId>(),
      endsAt: Type.Number(),
      person: orNull(
        Type.Object({ subject: Type.String(), name: Type.String(), role: text<Person["role"]>() }),
      ),
    }),
  ),
});
export type Voucher = Static<typeof Voucher>;

/** Returns the administrator of a token as a principal of this cell, which knows by `vouched` that the token is another cell's. */
export function principalOfVoucher(voucher: Voucher, token: string, cell: HomeCell): Principal {
  const { keyId, keyName, session, permissions, ...rest } = voucher;
  return {
    ...rest,
    endpointId: null,
    // Each cell has the admin key. Other keys have no row here that something could depend on.
    keyId: keyId === ADMIN_KEY_ID ? keyId : null,
    permissions: permissionsOf(permissions),
    session: session && { ...session, kind: "console", portal: null, keyId, csrfToken: csrfTokenOf(token) },
    // Its requests are for other accounts and for the installation.
    isMoving: false,
    vouched: { cell, keyId, keyName },
  };
}

/** Returns an administrator by a JWT of an account in another cell, whose plan is not known here. It limits no requests. */
export function principalOfClaims(claims: JwtClaims, cell: HomeCell): Principal {
  const limits = { plan: "", requestsPerMinute: null, isMoving: false };
  const vouched = { cell, keyId: null, keyName: null };
  return { ...claims, ...limits, endpointId: null, keyId: null, session: null, vouched };
}
