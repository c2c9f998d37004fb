import { type Account, type AccountPatch, type Accounts, UnknownPlan } from "../../accounts/account";
import type { Authenticator } from "../../accounts/authentication/authenticator";
import { EXTERNAL_ID_MARK } from "../../accounts/external-id";
import type { Database } from "../../db/database";
import type { AccountId } from "../../domain/ids";
import { answer } from "../answer";
import type { Call } from "../call";
import { badRequest } from "../errors";
import { changeOrCreate, checkedExternalId, externalIdInPath } from "../external-ids";
import { idInPath, noSuch } from "../ids";
import { bodyReader } from "../json/json-body";
import { answerKeys } from "../keys/key-list";
import { createKey, type NewKeyOptions } from "../keys/new-key";
import { cursorPage } from "../lists/cursor-page";
import type { Cursors } from "../lists/cursors";
import { created } from "../posting";
import { CreateAccount, PutAccount, UpdateAccount, viewOfAccount } from "./model";

export type AccountOptions = NewKeyOptions & {
  db: Database;
  accounts: Accounts;
  cursors: Cursors;
  authenticator: Pick<Authenticator, "forget">;
};

const readCreate = bodyReader(CreateAccount);
const readUpdate = bodyReader(UpdateAccount);
const readPut = bodyReader(PutAccount);

/** Answers the requests of administrators about accounts. */
export class AccountHandlers {
  constructor(private readonly options: AccountOptions) {}

  async list({ principal, allowance }: Call, url: string): Promise<Response> {
    const page = await cursorPage(url, {
      cursors: this.options.cursors.of<AccountId>("accounts", principal.accountId),
      keyOf: ({ id }) => id,
      read: (asked) => this.options.accounts.page(asked),
      view: viewOfAccount,
    });
    return answer(allowance, 200, page);
  }

  create(call: Call, request: Request): Promise<Response> {
    const { accounts, posting } = this.options;
    return posting.handle(call, request, () => {
      const { name, plan, external_id } = readCreate(call.body);
      const externalId = checkedExternalId("acc", external_id);
      const wanted = { name, plan: plan ?? undefined, externalId };
      return async (sql) => {
        const made = await knownPlan(accounts.create(sql, wanted));
        return { ...created(viewOfAccount(made)), afterCommit: () => this.nowNamed(externalId) };
      };
    });
  }

  async get({ allowance }: Call, id: string): Promise<Response> {
    return answer(allowance, 200, viewOfAccount(await this.find(id)));
  }

  async update({ allowance, body }: Call, id: string): Promise<Response> {
    const { external_id, ...wanted } = readUpdate(body);
    const externalId = checkedExternalId("acc", external_id);
    const account = await this.change(idInPath("acc", id), { ...wanted, externalId });
    if (account === null) throw noSuch("acc");
    return answer(allowance, 200, viewOfAccount(account));
  }

  /** Creates or changes the account with the external id in the path; with an id in the path, changes that account. */
  async put({ allowance, body }: Call, text: string): Promise<Response> {
    const wanted = readPut(body);
    const externalId = externalIdInPath("acc", text);
    const { accounts, db } = this.options;
    return changeOrCreate({
      find: async () => (externalId === null ? idInPath("acc", text) : accounts.idOf(externalId)),
      change: async (id) => {
        const account = await this.change(id, wanted);
        return account && answer(allowance, 200, viewOfAccount(account));
      },
      create: async () => {
        if (externalId === null) throw noSuch("acc");
        const { name } = wanted;
        if (name === undefined) throw badRequest("name is required to create an account");
        const account = { ...wanted, name, externalId };
        const made = await knownPlan(db.transaction((sql) => accounts.create(sql, account)));
        this.nowNamed(externalId);
        return answer(allowance, 201, viewOfAccount(made));
      },
    });
  }

  async listKeys({ allowance }: Call, id: string): Promise<Response> {
    const { id: accountId } = await this.find(id);
    return answerKeys(allowance, this.options.apiKeys, accountId);
  }

  async createKey(call: Call, id: string, request: Request): Promise<Response> {
    return createKey(this.options, call, request, () => idInPath("acc", id));
  }

  private async change(id: AccountId, wanted: AccountPatch): Promise<Account | null> {
    const account = await knownPlan(this.options.accounts.update(id, wanted));
    // Empties the caches only for these changes, because some customers PUT at every sign-in.
    if (wanted.plan !== undefined || wanted.externalId !== undefined) this.options.authenticator.forget();
    return account;
  }

  /** Empties the caches if the external id of a new account may have led to another account until now: `~x` to `x`. */
  private nowNamed(externalId: string | null | undefined): void {
    if (externalId?.startsWith(EXTERNAL_ID_MARK)) this.options.authenticator.forget();
  }

  private async find(id: string): Promise<Account> {
    const account = await this.options.accounts.get(idInPath("acc", id));
    if (account === null) throw noSuch("acc");
    return account;
  }
}

async function knownPlan<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof UnknownPlan
      ? badRequest("plan must be the name of a plan; GET /admin/plans lists them")
      : error;
  }
}
