import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Accounts } from "../accounts/account";
import type { ApiKeys } from "../accounts/api-keys";
import { type Principal, requestingKeyOf } from "../accounts/authentication/principal";
import { answer } from "../api/answer";
import type { Guard } from "../api/guard";
import { noSuch } from "../api/ids";
import { operation } from "../api/openapi/operation";
import { named, nullable, ref, words } from "../api/openapi/schema";
import type { ApiSettings } from "../api/settings";
import { toText } from "../domain/ids";
import { PERMISSIONS } from "../domain/permission";
import { VERSION } from "../runtime/version";
import { ACCOUNT_EXAMPLE, viewOfAccount } from "./accounts/account";

const MeModel = named(
  "Me",
  Type.Object({
    account: ref("Account"),
    permissions: Type.Array(words("Permission", PERMISSIONS)),
    key_id: nullable(
      Type.String({
        description: "The key of the request or of its session; null for a JWT and for a person.",
      }),
    ),
    name: nullable(Type.String({ description: "The key's name, or the person's." })),
    version: Type.String({ description: "Hermod's version." }),
    disable_after_ms: Type.Integer({
      description: "How long an endpoint may fail before Hermod sets it inactive: HERMOD_DISABLE_AFTER.",
    }),
    retention_ms: Type.Integer({ description: "How long ended deliveries are kept: HERMOD_RETENTION." }),
  }),
);

type MeView = Omit<Static<typeof MeModel>, "account"> & { account: ReturnType<typeof viewOfAccount> };

const EXAMPLE = {
  account: ACCOUNT_EXAMPLE,
  permissions: ["webhooks:read", "webhooks:retry"],
  key_id: "key_01k9x3t1m4e6bt7m9n2p4r6s8w",
  name: "Support",
  version: VERSION,
  disable_after_ms: 432_000_000,
  retention_ms: 2_592_000_000,
} satisfies MeView;

export type MeOptions = {
  accounts: Pick<Accounts, "get">;
  apiKeys: Pick<ApiKeys, "nameOf">;
  config: Pick<ApiSettings, "disableAfterMs" | "retentionMs">;
};

/** /me */
export function meRoutes(guard: Guard, options: MeOptions) {
  return new Elysia({ prefix: "/me" }).use(guard).get(
    "",
    async ({ call }) => answer(call.allowance, 200, await viewOf(options, call.principal)),
    operation({
      portal: { needs: null, concerns: "itself" },
      id: "getMe",
      permission: null,
      tag: "Account",
      summary: "Show the account and the key of the request",
      description: "If the request acts for another account, the account is the one in `Hermod-Account`.",
      success: {
        status: 200,
        description: "The account, and the permissions of the request.",
        schema: MeModel,
        example: EXAMPLE,
      },
    }),
  );
}

async function viewOf({ accounts, apiKeys, config }: MeOptions, principal: Principal): Promise<MeView> {
  const { accountId, keyId, permissions, session, vouched } = principal;
  const nameOf = () => (vouched ? vouched.keyName : keyId && apiKeys.nameOf(keyId));
  const [account, name] = await Promise.all([accounts.get(accountId), nameOf()]);
  const requesting = requestingKeyOf(principal);
  if (account === null) throw noSuch("acc");
  return {
    account: viewOfAccount(account),
    permissions: PERMISSIONS.filter((each) => permissions.has(each)),
    key_id: requesting && toText("key", requesting),
    name: session?.person?.name ?? name,
    version: VERSION,
    disable_after_ms: config.disableAfterMs,
    retention_ms: config.retentionMs,
  };
}
