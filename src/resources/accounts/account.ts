import { type Static, Type } from "@sinclair/typebox";
import type { Account } from "../../accounts/account";
import { PLAN_NAME, PLAN_NAME_MAX_LENGTH } from "../../accounts/plan";
import { externalId } from "../../api/external-ids";
import { cursorPageOf } from "../../api/lists/cursor-model";
import { formatInstant } from "../../api/lists/instant";
import { named, nullable, optional, request, text, timestamp } from "../../api/openapi/schema";
import { toText } from "../../domain/ids";

const name = text({ minLength: 1, maxLength: 256 });

const plan = text({
  minLength: 1,
  maxLength: PLAN_NAME_MAX_LENGTH,
  pattern: PLAN_NAME.source,
  description: "The name of a plan.",
});

export const CreateAccount = request(
  "CreateAccount",
  Type.Object({ name, plan: optional(plan), external_id: optional(externalId) }),
);

/** Has no external id: the path has it. */
export const PutAccount = request(
  "AccountUpsert",
  Type.Object({ name: Type.Optional(name), plan: Type.Optional(plan) }),
);

export const UpdateAccount = request(
  "UpdateAccount",
  Type.Object({
    name: Type.Optional(name),
    plan: Type.Optional(plan),
    external_id: Type.Optional(nullable(externalId)),
  }),
);

export const AccountModel = named(
  "Account",
  Type.Object({
    id: Type.String({ description: "Begins with `acc_`." }),
    name: Type.String(),
    plan: Type.String(),
    external_id: nullable(Type.String()),
    created_at: timestamp(),
  }),
);

export const AccountPage = named("AccountPage", cursorPageOf("Account"));

export type AccountView = Static<typeof AccountModel>;

export function viewOfAccount(account: Account): AccountView {
  return {
    id: toText("acc", account.id),
    name: account.name,
    plan: account.plan,
    external_id: account.externalId,
    created_at: formatInstant(account.createdAt),
  };
}

export const ACCOUNT_EXAMPLE = {
  id: "acc_01k9x3s0k2c4bt6m8n1p3r5s7x",
  name: "Example shop",
  plan: "starter",
  external_id: "shop-42",
  created_at: "2026-01-31T12:00:00.000Z",
} satisfies AccountView;

/** The parameter of a path with an account's id. */
export const ACCOUNT_PATH = {
  id: { description: "The account's id.", example: ACCOUNT_EXAMPLE.id, external: "acc" },
} as const;
