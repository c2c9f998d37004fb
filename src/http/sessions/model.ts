import { type Static, Type } from "@sinclair/typebox";
import type { PrincipalSession } from "../../accounts/authentication/principal";
import { toText } from "../../domain/ids";
import { formatInstant } from "../lists/instant";
import { named, timestamp } from "../openapi/schema";
import { CSRF_HEADER } from "./cookie";

export const SessionModel = named(
  "Session",
  Type.Object({
    id: Type.String({ description: "Begins with `ses_`." }),
    csrf_token: Type.String({ description: `Send it as \`${CSRF_HEADER}\` with each change.` }),
    expires_at: timestamp("When the session ends at the latest."),
  }),
);

export type SessionView = Static<typeof SessionModel>;

export function viewOfSession({
  id,
  csrfToken,
  endsAt,
}: Pick<PrincipalSession, "id" | "csrfToken" | "endsAt">): SessionView {
  return { id: toText("ses", id), csrf_token: csrfToken, expires_at: formatInstant(endsAt) };
}

export const SESSION_EXAMPLE = {
  id: "ses_01k9x3t1m4e6bt7m9n2p4r6s8w",
  csrf_token: "8mCqYw0G2c1Vd3tq0Q7n5B4xk2J9fLhZr6sT1uWvXyA",
  expires_at: "2026-01-31T12:00:00.000Z",
} satisfies SessionView;
