import type { ComponentChildren } from "preact";
import type { components } from "../../client/openapi";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { saveCsv } from "../shared/csv-file";
import { plural } from "../shared/format";
import { OlderButton } from "../shared/growing-list";
import { Icon } from "../shared/icon";
import { PAGE, useLiveList } from "../shared/live-list";
import { linkTo } from "../shared/location";
import { Card, Empty, Problem, Skeleton, Time } from "../shared/parts";
import { visible } from "../shared/visible-text";
import { Page } from "./shell";

type AuditEntry = components["schemas"]["AuditEntry"];

/** The page of changes: each with its actor, and the values before and after. */
export function Activity() {
  const list = useLiveList<AuditEntry>(keyed("activity"), (cursor) =>
    call("get", "/v1/activity", { query: { limit: PAGE, cursor } }),
  );
  const { rows, fresh, cursor, error, isLoaded } = list;
  return (
    <Page crumbs={[{ label: "Activity" }]}>
      <div class="lead">
        <div class="grow">
          <h1>Activity</h1>
          <p>Every change to this account: who made it, when, and what it was before.</p>
        </div>
        {rows.value.length > 0 && (
          <button
            type="button"
            class="icon"
            aria-label="Save these rows as CSV"
            title="Save these rows as CSV"
            onClick={() => saveCsv("activity.csv", [COLUMNS, ...rows.value.map(cellsOf)])}
          >
            <Icon name="export" />
          </button>
        )}
      </div>
      {error.value !== null && <Problem error={error.value} retry={() => void list.look()} />}
      <Card label="Changes, newest first">
        {fresh.value.length > 0 && (
          <button type="button" class="fresh" onClick={() => list.showFresh()}>
            {plural(fresh.value.length, "new change", "new changes")}
          </button>
        )}
        {!isLoaded.value && error.value === null && <Skeleton rows={8} height={52} />}
        {isLoaded.value && rows.value.length === 0 && <Empty title="No changes yet" />}
        <ol class="activity">
          {rows.value.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </ol>
        {cursor.value !== null && (
          <div class="further">
            <OlderButton list={list} />
          </div>
        )}
      </Card>
    </Page>
  );
}

const COLUMNS = [
  "id",
  "at",
  "actor_kind",
  "actor_id",
  "actor",
  "operation",
  "target",
  "before",
  "after",
  "request_id",
] as const;

function cellsOf({ id, at, actor, operation, target, before, after, request_id }: AuditEntry): string[] {
  const json = (facts: object | null) => (facts === null ? "" : JSON.stringify(facts));
  const who = [actor.kind, actor.id ?? "", actor.name ?? ""];
  return [id, at, ...who, operation, target ?? "", json(before), json(after), request_id];
}

function Row({ entry }: { entry: AuditEntry }) {
  const { at, actor, operation, target } = entry;
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
  return (
    <li>
      <Time at={at} />
      <div class="grow">
        <p>
          <strong>{visible(actor.name ?? actor.id ?? actor.kind)}</strong> {operationWords(operation)}{" "}
          {target && <Target id={target} />}
        </p>
        {names.length > 0 && (
          <ul class="changes">
            {names.slice(0, 12).map((name) => (
              <li key={name}>
                <code>{visible(name)}</code>{" "}
                {entry.before && name in entry.before && <del>{valueWords(entry.before[name])}</del>}{" "}
                {entry.after && name in entry.after && <ins>{valueWords(entry.after[name])}</ins>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

/** Past forms of verbs in operations' names that do not just add a `d`. */
const PAST: Readonly<Record<string, string>> = {
  update: "changed",
  put: "set",
  retry: "retried",
  resend: "resent",
  replay: "replayed",
  cancel: "cancelled",
  test: "tested",
  send: "sent",
  publish: "sent",
};

/** Returns an operation's name in words: `updateEndpoint` is `changed endpoint`. */
function operationWords(operation: string): string {
  const [verb = "", ...rest] = operation
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
  return [PAST[verb] ?? `${verb}d`, ...rest].join(" ");
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

function Target({ id }: { id: string }): ComponentChildren {
  const page = PAGES[id.split("_")[0] ?? ""];
  if (page === undefined) return <code>{visible(id)}</code>;
  return (
    <a class="link mono" href={linkTo(`/console/${page}/${id}`)}>
      {id}
    </a>
  );
}
