import type { ComponentChildren } from "preact";
import { linkTo } from "../shared/location";
import { Time } from "../shared/parts";
import { visible } from "../shared/visible-text";
import { type AuditEntry, actorWords, operationWords } from "./change-words";
import { useAccounts } from "./data";

type ChangeListProps = {
  changes: readonly AuditEntry[];
  /** True if they are of several accounts, each of which is named. */
  isEverywhere?: boolean;
};

/** Changes with their actors, and the values before and after. */
export function ChangeList({ changes, isEverywhere = false }: ChangeListProps) {
  const accounts = useAccounts().data;
  const names = new Map(accounts?.map(({ id, name }) => [id, name]));
  return (
    <ol class="activity">
      {changes.map((change) => {
        const { id, account_id: account } = change;
        return (
          <Change key={id} change={change} account={isEverywhere ? (names.get(account) ?? account) : null} />
        );
      })}
    </ol>
  );
}

/** Most fields of a change that are shown. */
const MOST_FIELDS = 12;

/** `account` is the name of its account; null if it is the one that the page shows. */
function Change({ change, account }: { change: AuditEntry; account: string | null }) {
  const { at, account_id, operation, target, before, after } = change;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <li>
      <Time at={at} />
      <div class="grow">
        <p>
          <strong>{visible(actorWords(change))}</strong> {operationWords(operation)}{" "}
          {target && <Target id={target} account={account === null ? undefined : account_id} />}
          {account !== null && <span class="dim"> in {visible(account)}</span>}
        </p>
        {names.length > 0 && (
          <ul class="changes">
            {names.slice(0, MOST_FIELDS).map((name) => (
              <li key={name}>
                <code>{visible(name)}</code>{" "}
                {before && name in before && <del>{valueWords(before[name])}</del>}{" "}
                {after && name in after && <ins>{valueWords(after[name])}</ins>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

/** Most characters of a value that are shown. */
const SHOWN = 80;

/** The service's text for a value that may be secret, or is large. */
const HIDDEN = "…";

function valueWords(value: unknown): string {
  if (value === HIDDEN) return "not kept here";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return visible(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

const PAGES: Readonly<Record<string, string>> = {
  ep: "endpoints",
  wh: "deliveries",
  evt: "events",
  job: "jobs",
};

function Target({ id, account }: { id: string; account: string | undefined }): ComponentChildren {
  const page = PAGES[id.split("_")[0] ?? ""];
  if (page === undefined) return <code>{visible(id)}</code>;
  return (
    <a class="link mono" href={linkTo(`/console/${page}/${id}`, account === undefined ? {} : { account })}>
      {id}
    </a>
  );
}
