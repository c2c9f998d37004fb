import { Type } from "@sinclair/typebox";
import { PLAN_NAME } from "../../accounts/plan";
import { DELETED_ANSWER } from "../deletion";
import { KEY_EXAMPLE } from "../keys/model";
import { CREATED_KEY, NEW_KEY } from "../keys/operations";
import { CURSOR_PARAMETERS } from "../lists/cursor-model";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { ACCOUNT_EXAMPLE, CreateAccount, PLAN_EXAMPLE, PutAccount, PutPlan, UpdateAccount } from "./model";

const tag = "Administration";
const path = {
  id: { description: "The account's id.", example: ACCOUNT_EXAMPLE.id, external: "acc" },
} as const;
const account = { schema: ref("Account"), example: ACCOUNT_EXAMPLE };

export const listAccounts = operation("GET", {
  id: "listAccounts",
  permission: "accounts:act",
  tag,
  summary: "List accounts",
  query: Type.Object(CURSOR_PARAMETERS),
  success: {
    status: 200,
    description: "A page, newest first.",
    schema: ref("AccountPage"),
    example: { data: [ACCOUNT_EXAMPLE], cursor: null },
  },
});

export const createAccount = operation("POST", {
  id: "createAccount",
  permission: "admin",
  tag,
  summary: "Create an account",
  description:
    "Without `plan`, the account gets the plan that the service is configured with, `HERMOD_DEFAULT_PLAN` (`unlimited` by default).",
  body: { schema: CreateAccount, example: { name: ACCOUNT_EXAMPLE.name, plan: ACCOUNT_EXAMPLE.plan } },
  success: { status: 201, description: "The account.", ...account },
});

export const getAccount = operation("GET", {
  id: "getAccount",
  permission: "accounts:act",
  tag,
  summary: "Get an account",
  path,
  success: { status: 200, description: "The account.", ...account },
  errors: [404],
});

export const updateAccount = operation("PATCH", {
  id: "updateAccount",
  permission: "admin",
  tag,
  summary: "Change an account",
  description: "Fields that are left out stay as they are.",
  path,
  body: { schema: UpdateAccount, example: { plan: ACCOUNT_EXAMPLE.plan } },
  success: { status: 200, description: "The account.", ...account },
  errors: [404, 409],
});

export const putAccount = operation("PUT", {
  id: "putAccount",
  permission: "admin",
  tag,
  summary: "Create or change an account by its external id",
  description:
    "Put `~` and the `external_id` in the path. If no account has it, this creates the account, and `name` is required. " +
    "Otherwise this changes the account like PATCH.",
  path,
  body: { schema: PutAccount, example: { name: ACCOUNT_EXAMPLE.name, plan: ACCOUNT_EXAMPLE.plan } },
  success: [
    { status: 200, description: "The account, changed.", ...account },
    { status: 201, description: "The account, created.", ...account },
  ],
  errors: [404, 409],
});

export const listAccountKeys = operation("GET", {
  id: "listAccountKeys",
  permission: "admin",
  tag,
  summary: "List an account's keys",
  path,
  success: {
    status: 200,
    description: "All keys, newest first.",
    schema: ref("KeyList"),
    example: { data: [KEY_EXAMPLE] },
  },
  errors: [404],
});

export const createAccountKey = operation("POST", {
  id: "createAccountKey",
  permission: "admin",
  tag,
  summary: "Create a key for an account",
  description:
    "The new key may have any permission. It expires no later than the requesting key, and is disabled and revoked with it. " +
    "Keys that `HERMOD_ADMIN_KEY` created stay valid when it is replaced. The key's text is returned only in this answer.",
  path,
  body: NEW_KEY,
  success: CREATED_KEY,
  errors: [404],
});

export const deleteKey = operation("DELETE", {
  id: "deleteAnyKey",
  permission: "admin",
  tag,
  summary: "Revoke a key of any account",
  description:
    "Also revokes the keys that it created, and the keys that these keys created in turn. Keys that it created for other accounts " +
    "stay, unless they have the permission `admin` or `accounts:act`.",
  path: { id: { description: "The key's id.", example: KEY_EXAMPLE.id } },
  success: DELETED_ANSWER,
  errors: [404],
});

export const listPlans = operation("GET", {
  id: "listPlans",
  permission: "admin",
  tag,
  summary: "List plans",
  success: {
    status: 200,
    description: "All plans, by name.",
    schema: ref("PlanList"),
    example: { data: [PLAN_EXAMPLE] },
  },
});

export const putPlan = operation("PUT", {
  id: "putPlan",
  permission: "admin",
  tag,
  summary: "Create or change a plan",
  description: "A new webhook limit applies at once, a new request limit within five seconds.",
  path: {
    name: {
      description: "The plan's name.",
      example: PLAN_EXAMPLE.name,
      schema: { pattern: PLAN_NAME.source },
    },
  },
  body: { schema: PutPlan, example: { requests_per_minute: 600, webhooks_per_month: 50_000 } },
  success: { status: 200, description: "The plan.", schema: ref("Plan"), example: PLAN_EXAMPLE },
});
