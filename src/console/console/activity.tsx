import { useAction } from "../pages/actions";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { saveCsv } from "../shared/csv-file";
import { count, plural } from "../shared/format";
import { OlderButton } from "../shared/growing-list";
import { Icon } from "../shared/icon";
import { Lead } from "../shared/lead";
import { PAGE, type PageOf, useLiveList } from "../shared/live-list";
import { params } from "../shared/location";
import { Card, Empty, Problem, Skeleton } from "../shared/parts";
import { serverNow } from "../shared/server-clock";
import { ChangeChoices } from "./change-choices";
import { type ChangeFilters, queryOfChanges, readChangeFilters } from "./change-filters";
import { ChangeList } from "./change-list";
import type { AuditEntry } from "./change-words";
import { can } from "./session";
import { Page } from "./shell";

/** The page of changes: each with its actor, and the values before and after. */
export function Activity() {
  const asked = readChangeFilters(params.value);
  const filters = { ...asked, isEverywhere: asked.isEverywhere && can("admin") };
  const list = useLiveList<AuditEntry>(keyed("activity", JSON.stringify(filters)), (cursor) =>
    readChanges(filters, cursor),
  );
  const { rows, fresh, cursor, error, isLoaded } = list;
  const isFiltered = Object.values(filters).some((value) => value !== null && value !== false);
  return (
    <Page crumbs={[{ label: "Activity" }]}>
      <Lead
        title="Activity"
        intro={`Every change ${filters.isEverywhere ? "in all accounts" : "to this account"}: who made it, when, and what it was before.`}
      >
        {rows.value.length > 0 && <SaveChanges filters={filters} />}
      </Lead>
      <ChangeChoices filters={filters} changes={rows.value} />
      {error.value !== null && <Problem error={error.value} retry={() => void list.look()} />}
      <Card label="Changes, newest first">
        {fresh.value.length > 0 && (
          <button type="button" class="fresh" onClick={() => list.showFresh()}>
            {plural(fresh.value.length, "new change", "new changes")}
          </button>
        )}
        {!isLoaded.value && error.value === null && <Skeleton rows={8} height={52} />}
        {isLoaded.value && rows.value.length === 0 && (
          <Empty title={isFiltered ? "No changes like these are kept" : "No changes yet"} />
        )}
        <ChangeList changes={rows.value} isEverywhere={filters.isEverywhere} />
        {cursor.value !== null && (
          <div class="further">
            <OlderButton list={list} />
          </div>
        )}
      </Card>
    </Page>
  );
}

function readChanges(filters: ChangeFilters, cursor: string | undefined): Promise<PageOf<AuditEntry>> {
  const query = { ...queryOfChanges(filters, serverNow()), limit: PAGE, cursor };
  return filters.isEverywhere
    ? call("get", "/v1/admin/audit", { query })
    : call("get", "/v1/activity", { query });
}

/** Most changes that a file gets. Each page of them is a request, which counts against the account's limit. */
const MOST_SAVED = 5_000;

/** Saves all changes of the filters, not only those that are shown. */
function SaveChanges({ filters }: { filters: ChangeFilters }) {
  const { run, isBusy } = useAction(async () => {
    const found: AuditEntry[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null && found.length < MOST_SAVED) {
      const page: PageOf<AuditEntry> = await readChanges(filters, cursor);
      found.push(...page.data);
      cursor = page.cursor;
    }
    saveCsv("activity.csv", [COLUMNS, ...found.map(cellsOf)]);
    return cursor === null
      ? `All ${plural(found.length, "change is", "changes are")} saved.`
      : `The newest ${count(found.length)} changes are saved; there are older ones.`;
  });
  return (
    <button
      type="button"
      class="icon"
      aria-label="Save as CSV"
      title="Save all changes of the filters as CSV"
      disabled={isBusy}
      onClick={() => void run()}
    >
      <Icon name="export" />
    </button>
  );
}

const COLUMNS = [
  "id",
  "at",
  "account_id",
  "actor_kind",
  "actor_id",
  "actor",
  "operation",
  "target",
  "before",
  "after",
  "request_id",
] as const;

function cellsOf(change: AuditEntry): string[] {
  const { id, at, account_id, actor, operation, target, before, after, request_id } = change;
  const json = (facts: object | null) => (facts === null ? "" : JSON.stringify(facts));
  const who = [actor.kind, actor.id ?? "", actor.name ?? ""];
  return [id, at, account_id, ...who, operation, target ?? "", json(before), json(after), request_id];
}
