import {
  EXTERNAL_ID_MARK,
  EXTERNAL_ID_MAX_LENGTH,
  ExternalIdTaken,
  withoutMark,
} from "../accounts/external-id";
import { type AccountId, fromText, type IdOf, toText } from "../domain/ids";
import { fullyDecoded, nameProblem } from "../runtime/text/plain-text";
import { badRequest, UnknownAccount } from "./errors";
import { text } from "./openapi/schema";

/** Prefixes of the ids that an external id can replace. */
export type ExternallyNamed = "acc" | "ep";

/** Finds ids by external id, endpoints within their account; null if there is none. */
export type ExternalIds = {
  [Kind in ExternallyNamed]: (externalId: string, accountId: AccountId) => Promise<IdOf<Kind> | null>;
};

export const externalId = text({
  minLength: 1,
  maxLength: EXTERNAL_ID_MAX_LENGTH,
  description: "Your own id, which must be unique. Paths accept `~` and this id in place of Hermod's id.",
});

/** Returns the external id in a path; null if the path has an id. Throws 400 for an invalid external id. */
export function externalIdInPath(kind: ExternallyNamed, text: string): string | null {
  return text.startsWith(EXTERNAL_ID_MARK) ? checkedExternalId(kind, withoutMark(text)) : null;
}

/** True if a text in a header or body may name an account: as its id, its external id, or `~` and its external id. */
export function mayNameAccount(text: string): boolean {
  return mayBeExternalId(text) || mayBeExternalId(withoutMark(text));
}

/** Returns the 400 for a reference to an account that does not exist. `how`: how the place writes it. */
export function unknownAccount(name: string, reference: string | null, how = ""): UnknownAccount {
  const message = `${name} is no known account: give its id (acc_…) or its external_id${how}`;
  return new UnknownAccount(400, "BAD_REQUEST", message, reference);
}

/**
 * True if a text is a valid external id. Others must not be looked up, because Postgres refuses NUL.
 */
export function mayBeExternalId(text: string): boolean {
  return nameProblem(text, EXTERNAL_ID_MAX_LENGTH) === null;
}

/**
 * Throws 400 for an invalid external id. A text that looks like an id is invalid: paths would read it as an id, and people would
 * take it for the one of another account.
 */
export function checkedExternalId<T extends string | null | undefined>(kind: ExternallyNamed, text: T): T {
  if (typeof text !== "string") return text;
  const problem = nameProblem(text, EXTERNAL_ID_MAX_LENGTH);
  if (problem) throw badRequest(`external_id ${problem}`);
  if (looksLikeId(kind, text)) throw badRequest("external_id must not look like an id");
  return text;
}

/** Finds ids in other forms too: in capitals, percent-encoded, marked, in full-width letters, or between blanks. */
function looksLikeId(kind: ExternallyNamed, text: string): boolean {
  const plain = fullyDecoded(text).normalize("NFKC").toLowerCase();
  return fromText(kind, plain.replaceAll(/[\s~\p{Cf}]/gu, "")) !== null;
}

/** Replaces an external id in a path by its id. Returns an unknown external id unchanged, which is not a valid id. */
export async function withoutExternalId(
  kind: ExternallyNamed,
  text: string,
  accountId: AccountId,
  find: ExternalIds,
): Promise<string> {
  if (!text.startsWith(EXTERNAL_ID_MARK)) return text;
  const externalId = withoutMark(text);
  if (!mayBeExternalId(externalId)) return text;
  if (kind === "acc") return textOf("acc", await find.acc(externalId, accountId)) ?? text;
  return textOf("ep", await find.ep(externalId, accountId)) ?? text;
}

function textOf<Kind extends ExternallyNamed>(kind: Kind, id: IdOf<Kind> | null): string | null {
  return id === null ? null : toText(kind, id);
}

type Upsert<Id> = Readonly<{
  find(): Promise<Id | null>;
  /** Null if it was deleted meanwhile. */
  change(id: Id): Promise<Response | null>;
  /** Throws `ExternalIdTaken`. */
  create(): Promise<Response>;
}>;

const MAX_TRIES = 3;

/**
 * Changes the row with an external id, or creates it. Tries again if another request created or deleted it in between.
 */
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
