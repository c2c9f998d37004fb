import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { saveCsv } from "../shared/csv-file";
import { plural } from "../shared/format";
import { OlderButton } from "../shared/growing-list";
import { Icon } from "../shared/icon";
import { PAGE, useLiveList } from "../shared/live-list";
import { Card, Empty, Problem, Skeleton } from "../shared/parts";
import { ChangeList } from "./change-list";
import type { AuditEntry } from "./change-words";
import { Page } from "./shell";

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
        <ChangeList changes={rows.value} />
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
