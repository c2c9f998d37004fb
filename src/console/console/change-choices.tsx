import { TimeChoice } from "../pages/filter-choices";
import { Choice, type Option } from "../shared/choice";
import { setParams } from "../shared/location";
import { visible } from "../shared/visible-text";
import { actorFilterOf, type ChangeFilters, timeOfChanges } from "./change-filters";
import { type AuditEntry, actorWords, operationWords } from "./change-words";
import { can } from "./session";

type ChoicesProps = { filters: ChangeFilters; changes: readonly AuditEntry[] };

/** The filters of the changes as a sentence. Offers what the shown changes have; anything else can be typed. */
export function ChangeChoices({ filters, changes }: ChoicesProps) {
  return (
    <div class="sentence" role="search" aria-label="Filters">
      <span>Changes by</span>
      <OneOf name="actor" everything="anybody" chosen={filters.actor} options={actorsIn(changes)} />
      <span>that</span>
      <OneOf
        name="operation"
        everything="did anything"
        chosen={filters.operation}
        options={changes.map(({ operation }) => ({ value: operation, label: operationWords(operation) }))}
        takesText
      />
      <span>to</span>
      <OneOf
        name="target"
        everything="anything"
        chosen={filters.target}
        options={changes.flatMap(({ target }) => (target === null ? [] : [{ value: target, label: target }]))}
        takesText
      />
      {can("admin") && <WhereChoice isEverywhere={filters.isEverywhere} />}
      <TimeChoice filters={timeOfChanges(filters)} />
    </div>
  );
}

function actorsIn(changes: readonly AuditEntry[]): readonly Option[] {
  return changes.flatMap((change) => {
    const value = actorFilterOf(change);
    return value === null ? [] : [{ value, label: change.actor.name ?? actorWords(change) }];
  });
}

type OneOfProps = {
  name: "actor" | "operation" | "target";
  /** The choice that leaves nothing out. */
  everything: string;
  chosen: string | null;
  options: readonly Option[];
  takesText?: boolean;
};

function OneOf({ name, everything, chosen, options, takesText = false }: OneOfProps) {
  const byValue = new Map(options.map((each) => [each.value, each]));
  const label = (chosen && byValue.get(chosen)?.label) ?? chosen?.replace(/^(key|person):/, "") ?? everything;
  return (
    <Choice
      name={name}
      value={chosen ?? ""}
      shown={visible(label)}
      options={[{ value: "", label: everything }, ...byValue.values()]}
      free={takesText ? (text) => ({ value: text, label: text, detail: "as typed" }) : undefined}
      onChoose={(value) => setParams({ [name]: value }, { replace: false })}
    />
  );
}

function WhereChoice({ isEverywhere }: { isEverywhere: boolean }) {
  const options = [
    { value: "", label: "this account" },
    { value: "all", label: "all accounts" },
  ];
  return (
    <>
      <span>in</span>
      <Choice
        name="Where"
        value={isEverywhere ? "all" : ""}
        shown={isEverywhere ? "all accounts" : "this account"}
        options={options}
        onChoose={(value) => setParams({ in: value }, { replace: false })}
      />
    </>
  );
}
