import { type Account, type Accounts, UnknownPlan } from "../../accounts/account";
import type { ApiKeys } from "../../accounts/api-keys";
import type { Authenticator } from "../../accounts/authenticator";
import { isForeignKeyViolation } from "../../db/pool";
import type { Clock } from "../../runtime/clock";
import { answer } from "../answer";
import type { Call } from "../call";
import { cursorPage, idCursor } from "../cursor-page";
import { badRequest } from "../errors";
import { bodyReader, readJsonBytes } from "../json-body";
import { answerKeys } from "../keys/key-list";
import { viewOfKey } from "../keys/model";
import { readNewKey } from "../keys/new-key";
import { idInPath, noSuch } from "../path-id";
import { created, type Posting } from "../posting";
import { CreateAccount, UpdateAccount, viewOfAccount } from "./model";

export type AccountOptions = {
  accounts: Accounts;
  apiKeys: ApiKeys;
  authenticator: Pick<Authenticator, "forget">;
  posting: Posting;
  clock: Clock;
};

const readCreate = bodyReader(CreateAccount);
const readUpdate = bodyReader(UpdateAccount);

/** Every account of the installation, for those who administer it. */
export class AccountHandlers {
  constructor(private readonly options: AccountOptions) {}

  async list({ allowance }: Call, url: string): Promise<Response> {
    const page = await cursorPage(url, {
      format: idCursor("acc"),
      keyOf: ({ id }) => id,
      read: (asked) => this.options.accounts.page(asked),
      view: viewOfAccount,
    });
    return answer(allowance, 200, page);
  }

  create(call: Call, request: Request): Promise<Response> {
    const { accounts, posting } = this.options;
    return posting.handle(call, request, (bytes) => {
      const wanted = readCreate(bytes);
      return async (sql) => created(viewOfAccount(await knownPlan(accounts.create(sql, wanted))));
    });
  }

  async get({ allowance }: Call, id: string): Promise<Response> {
    return answer(allowance, 200, viewOfAccount(await this.find(id)));
  }

  async update({ allowance }: Call, id: string, request: Request): Promise<Response> {
    const wanted = readUpdate(await readJsonBytes(request));
    const account = await knownPlan(this.options.accounts.update(idInPath("acc", id), wanted));
    if (account === null) throw noSuch("acc");
    this.options.authenticator.forget();
    return answer(allowance, 200, viewOfAccount(account));
  }

  async listKeys({ allowance }: Call, id: string): Promise<Response> {
    const { id: accountId } = await this.find(id);
    return answerKeys(allowance, this.options.apiKeys, accountId);
  }

  createKey(call: Call, id: string, request: Request): Promise<Response> {
    const { apiKeys, posting, clock } = this.options;
    return posting.handle(call, request, (bytes) => {
      const wanted = readNewKey(bytes, clock.now());
      const accountId = idInPath("acc", id);
      return async (sql) => {
        const { key, record } = await knownAccount(apiKeys.create(sql, accountId, wanted));
        return created({ ...viewOfKey(record), key });
      };
    });
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

/** Another look at the accounts would need another connection while the transaction holds one. */
async function knownAccount<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isForeignKeyViolation(error) ? noSuch("acc") : error;
  }
}
