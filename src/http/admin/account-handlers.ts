import { type Account, type Accounts, UnknownPlan } from "../../accounts/account";
import type { Authenticator } from "../../accounts/authenticator";
import type { AccountId } from "../../runtime/ids";
import { answer } from "../answer";
import type { Call } from "../call";
import { cursorPage } from "../cursor-page";
import type { Cursors } from "../cursors";
import { badRequest } from "../errors";
import { bodyReader } from "../json-body";
import { answerKeys } from "../keys/key-list";
import { createKey, type NewKeyOptions } from "../keys/new-key";
import { idInPath, noSuch } from "../path-id";
import { created } from "../posting";
import { CreateAccount, UpdateAccount, viewOfAccount } from "./model";

export type AccountOptions = NewKeyOptions & {
  accounts: Accounts;
  cursors: Cursors;
  authenticator: Pick<Authenticator, "forget">;
};

const readCreate = bodyReader(CreateAccount);
const readUpdate = bodyReader(UpdateAccount);

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
    return posting.handle(call, request, (bytes) => {
      const { name, plan } = readCreate(bytes);
      return async (sql) =>
        created(viewOfAccount(await knownPlan(accounts.create(sql, { name, plan: plan ?? undefined }))));
    });
  }

  async get({ allowance }: Call, id: string): Promise<Response> {
    return answer(allowance, 200, viewOfAccount(await this.find(id)));
  }

  async update({ allowance, body }: Call, id: string): Promise<Response> {
    const wanted = readUpdate(body);
    const account = await knownPlan(this.options.accounts.update(idInPath("acc", id), wanted));
    if (account === null) throw noSuch("acc");
    this.options.authenticator.forget();
    return answer(allowance, 200, viewOfAccount(account));
  }

  async listKeys({ allowance }: Call, id: string): Promise<Response> {
    const { id: accountId } = await this.find(id);
    return answerKeys(allowance, this.options.apiKeys, accountId);
  }

  async createKey(call: Call, id: string, request: Request): Promise<Response> {
    return createKey(this.options, call, request, () => idInPath("acc", id));
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
    throw error instanceof UnknownPlan ? badRequest("plan is not the name of a plan") : error;
  }
}
