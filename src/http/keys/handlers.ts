import type { ApiKey, NewApiKey } from "../../accounts/api-keys";
import type { Authenticator } from "../../accounts/authentication/authenticator";
import type { Principal } from "../../accounts/authentication/principal";
import { answer } from "../answer";
import type { Call } from "../call";
import { DELETED } from "../deletion";
import { forbidden } from "../errors";
import { idInPath, noSuch } from "../ids";
import { bodyReader } from "../json/json-body";
import { formatInstant } from "../lists/instant";
import { answerKeys } from "./key-list";
import { UpdateKey, viewOfKey } from "./model";
import { createKey, type NewKeyOptions } from "./new-key";

export type KeyOptions = NewKeyOptions & { authenticator: Pick<Authenticator, "forget"> };

const readUpdate = bodyReader(UpdateKey);

/** Answers the requests of an account about its own keys. */
export class KeyHandlers {
  constructor(private readonly options: KeyOptions) {}

  list({ principal, allowance }: Call): Promise<Response> {
    return answerKeys(allowance, this.options.apiKeys, principal.accountId);
  }

  async create(call: Call, request: Request): Promise<Response> {
    const { principal } = call;
    return createKey(this.options, call, request, (wanted) => {
      refuseMoreThanOwn(principal, wanted);
      return principal.accountId;
    });
  }

  async update({ principal, allowance, body }: Call, text: string): Promise<Response> {
    const { is_active } = readUpdate(body);
    const { apiKeys } = this.options;
    const { accountId, keyId } = principal;
    const key = await this.keyWithinMight(principal, text);
    if (is_active) refuseLongerThanOwn(principal, key);
    const change = is_active
      ? apiKeys.enable(accountId, key.id, keyId)
      : apiKeys.disable(accountId, key.id, keyId);
    const record = await change;
    if (record === null) throw noSuch("key");
    this.options.authenticator.forget();
    return answer(allowance, 200, viewOfKey(record));
  }

  async remove({ principal, allowance }: Call, id: string): Promise<Response> {
    const key = await this.keyWithinMight(principal, id);
    const deleted = await this.options.apiKeys.revoke(principal.accountId, key.id, principal.keyId);
    if (!deleted) throw noSuch("key");
    this.options.authenticator.forget();
    return answer(allowance, 200, DELETED);
  }

  /** Finds a key. Throws 403 if it has permissions that the requesting key lacks. Needs no lock, since permissions never change. */
  private async keyWithinMight({ accountId, permissions }: Principal, text: string): Promise<ApiKey> {
    const record = await this.options.apiKeys.get(accountId, idInPath("key", text));
    if (record === null) throw noSuch("key");
    const lacking = record.permissions.filter((each) => !permissions.has(each));
    if (lacking.length > 0)
      throw forbidden(`Your key can't change a key with permissions that it lacks: ${lacking.join(", ")}`);
    return record;
  }
}

/** Refuses to enable a key that ends later than the requesting key or JWT. */
function refuseLongerThanOwn({ expiresAt: own }: Principal, { expiresAt }: ApiKey): void {
  if (own === null || (expiresAt !== null && expiresAt <= own)) return;
  throw forbidden(`Your credential ends at ${formatInstant(own)}; it can't enable a key that ends later`);
}

/** Refuses permissions that the requesting key lacks, so that no key creates a more powerful one. */
function refuseMoreThanOwn(principal: Principal, { permissions }: Pick<NewApiKey, "permissions">): void {
  const lacking = permissions.filter((each) => !principal.permissions.has(each));
  if (lacking.length > 0)
    throw forbidden(`Your key can't grant permissions that it lacks: ${lacking.join(", ")}`);
}
