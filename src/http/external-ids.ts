import { EXTERNAL_ID_MAX_LENGTH, ExternalIdTaken } from "../accounts/external-id";
import { type AccountId, fromText, type IdOf, toText } from "../runtime/ids";
import { nameFlaw } from "../runtime/plain-text";
import { badRequest } from "./errors";
import { text } from "./openapi/schema";

/** What has an external id beside its own. */
export type ExternallyNamed = "acc" | "ep";

/** Finds the ids behind external ids, for `ep` among the endpoints of the account; null: nothing has it. */
export type ExternalIds = {
  [Kind in ExternallyNamed]: (externalId: string, accountId: AccountId) => Promise<IdOf<Kind> | null>;
};

/** Begins an external id in the place of an id. */
const MARK = "~";

export const externalId = text({
  minLength: 1,
  maxLength: EXTERNAL_ID_MAX_LENGTH,
  description:
    "An id of your own, which no other one has; it stands for the id in every path, as `~` and itself.",
});

/** Returns the external id in a path, or null where an id stands. Throws 400 for what can't be one. */
export function externalIdInPath(kind: ExternallyNamed, text: string): string | null {
  return text.startsWith(MARK) ? checkedExternalId(kind, text.slice(MARK.length)) : null;
}

/** Postgres takes no NUL, so what can't be an external id must not be looked up. */
export function mayBeExternalId(text: string): boolean {
  return nameFlaw(text, EXTERNAL_ID_MAX_LENGTH) === null;
}

/** Throws 400 for a text that can't be an external id; what looks like an id would be taken for one. */
export function checkedExternalId<T extends string | null | undefined>(kind: ExternallyNamed, text: T): T {
  if (typeof text !== "string") return text;
  const flaw = nameFlaw(text, EXTERNAL_ID_MAX_LENGTH);
  if (flaw) throw badRequest(`external_id ${flaw}`);
  if (fromText(kind, text) !== null) throw badRequest("external_id must not look like an id");
  return text;
}

/** Returns a path's text with the id in the place of an external id; one that nothing has stays, and is no id. */
export async function withoutExternalId(
  kind: ExternallyNamed,
  text: string,
  accountId: AccountId,
  find: ExternalIds,
): Promise<string> {
  if (!text.startsWith(MARK)) return text;
  const externalId = text.slice(MARK.length);
  if (!mayBeExternalId(externalId)) return text;
  if (kind === "acc") return textOf("acc", await find.acc(externalId, accountId)) ?? text;
  return textOf("ep", await find.ep(externalId, accountId)) ?? text;
}

function textOf<Kind extends ExternallyNamed>(kind: Kind, id: IdOf<Kind> | null): string | null {
  return id === null ? null : toText(kind, id);
}

type Upsert<Id> = Readonly<{
  find(): Promise<Id | null>;
  /** Null: it is gone. */
  change(id: Id): Promise<Response | null>;
  /** Throws `ExternalIdTaken`. */
  create(): Promise<Response>;
}>;

const MAX_TRIES = 3;

/** Changes what has an external id, or creates it; tries again when another request was faster with the opposite. */
export async function changeOrCreate<Id>({ find, change, create }: Upsert<Id>): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const id = await find();
    const changed = id === null ? null : await change(id);
    if (changed) return changed;
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof ExternalIdTaken) || tries === MAX_TRIES) throw error;
    }
  }
}
