import type { ApiKeys, NewApiKey } from "../../accounts/api-keys";
import type { Authenticator } from "../../accounts/authenticator";
import type { Principal } from "../../accounts/principal";
import type { Clock } from "../../runtime/clock";
import type { KeyId } from "../../runtime/ids";
import { answer } from "../answer";
import type { Call } from "../call";
import { DELETED } from "../deletion";
import { forbidden } from "../errors";
import { bodyReader, readJsonBytes } from "../json-body";
import { idInPath, noSuch } from "../path-id";
import { created, type Posting, type Prepare } from "../posting";
import { answerKeys } from "./key-list";
import { UpdateKey, viewOfKey } from "./model";
import { readNewKey } from "./new-key";

export type KeyOptions = {
  apiKeys: ApiKeys;
  authenticator: Pick<Authenticator, "forget">;
  posting: Posting;
  clock: Clock;
};

const readUpdate = bodyReader(UpdateKey);

/** An account's own keys. */
export class KeyHandlers {
  constructor(private readonly options: KeyOptions) {}

  list({ principal, allowance }: Call): Promise<Response> {
    return answerKeys(allowance, this.options.apiKeys, principal.accountId);
  }

  create(call: Call, request: Request): Promise<Response> {
    const { apiKeys, posting, clock } = this.options;
    const { principal } = call;
    const prepare: Prepare = (bytes) => {
      const wanted = readNewKey(bytes, clock.now());
      refuseMoreThanOwn(principal, wanted);
      return async (sql) => {
        const { key, record } = await apiKeys.create(sql, principal.accountId, wanted);
        return created({ ...viewOfKey(record), key });
      };
    };
    // The answer holds the key, and a mightier one may have asked for it.
    return posting.handle(call, request, prepare, (json) => refuseMoreThanOwn(principal, JSON.parse(json)));
  }

  async update({ principal, allowance }: Call, id: string, request: Request): Promise<Response> {
    const { is_active } = readUpdate(await readJsonBytes(request));
    const keyId = await this.idWithinMight(principal, id);
    const record = await this.options.apiKeys.setActive(principal.accountId, keyId, is_active);
    if (record === null) throw noSuch("key");
    this.options.authenticator.forget();
    return answer(allowance, 200, viewOfKey(record));
  }

  async remove({ principal, allowance }: Call, id: string): Promise<Response> {
    const keyId = await this.idWithinMight(principal, id);
    const deleted = await this.options.apiKeys.revoke(principal.accountId, keyId);
    if (!deleted) throw noSuch("key");
    this.options.authenticator.forget();
    return answer(allowance, 200, DELETED);
  }

  /** Of a key that may do no more than the asking one. What a key may do never changes, so this may be looked up first. */
  private async idWithinMight({ accountId, permissions }: Principal, text: string): Promise<KeyId> {
    const record = await this.options.apiKeys.get(accountId, idInPath("key", text));
    if (record === null) throw noSuch("key");
    const lacking = record.permissions.filter((each) => !permissions.has(each));
    if (lacking.length > 0)
      throw forbidden(`This key can't touch one that may do more: ${lacking.join(", ")}`);
    return record.id;
  }
}

/** A key that could make a mightier one would have its might. */
function refuseMoreThanOwn(principal: Principal, { permissions }: Pick<NewApiKey, "permissions">): void {
  const lacking = permissions.filter((each) => !principal.permissions.has(each));
  if (lacking.length > 0) throw forbidden(`This key can't give what it lacks: ${lacking.join(", ")}`);
}
