import { isTest } from "../../domain/test-event";
import { partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";
import { useEventTypes } from "./endpoint-data";

/** Most groups of event types that have a tick. Others are written as patterns. */
const GROUPS = 40;

type EventFieldsProps = {
  /** Patterns with commas between them. */
  chosen: string;
  /** The patterns of everything that the session may choose. */
  widest: string;
  onChoose(patterns: string): void;
};

/** A tick for each event type in use, grouped by the part before the first dot, and patterns as text. */
export function EventFields({ chosen, widest, onChoose }: EventFieldsProps) {
  const t = partTexts.value;
  const groups = useGroups();
  const patterns = patternsIn(chosen);
  const isAll = patterns.includes("*");
  const set = (pattern: string, isOn: boolean, covers: readonly string[] = []) => {
    const dropped = [pattern, "*", ...covers, ...(isOn && chosen === widest ? patterns : [])];
    const rest = patterns.filter((each) => !dropped.includes(each));
    onChoose((isOn ? [...rest, pattern] : rest).join(", "));
  };
  return (
    <>
      {widest === "*" && (
        <Tick label={t.everyEvent} isOn={isAll} onChange={(isOn) => onChoose(isOn ? "*" : "")} />
      )}
      {groups.slice(0, GROUPS).map(([group, members]) => (
        <Group key={group} name={group} members={members} patterns={patterns} set={set} />
      ))}
      {groups.length > GROUPS && <p class="dim">{t.andOthers(groups.length - GROUPS)}</p>}
      <label>
        {t.patterns}
        <input class="input mono" value={chosen} onInput={(event) => onChoose(event.currentTarget.value)} />
        <small>{widest === "*" ? t.eventsHint : t.eventsWithin(widest)}</small>
      </label>
    </>
  );
}

function patternsIn(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
}

function useGroups(): (readonly [string, readonly string[]])[] {
  const types = useEventTypes().data?.filter(({ event_type }) => !isTest(event_type)) ?? [];
  const names = types.map(({ event_type }) => event_type).toSorted();
  return [...Map.groupBy(names, (type) => type.split(".")[0] ?? type)];
}

type GroupProps = {
  name: string;
  members: readonly string[];
  patterns: readonly string[];
  set(pattern: string, isOn: boolean, covers?: readonly string[]): void;
};

/** A tick for a pattern, and one for each type that it takes. It does not take the type of its own name: `a.*` is not `a`. */
function Group({ name, members, patterns, set }: GroupProps) {
  const pattern = `${name}.*`;
  const taken = members.filter((type) => type !== name);
  const isAll = patterns.includes("*");
  const isWhole = isAll || patterns.includes(pattern);
  const tick = (type: string, isFixed: boolean) => (
    <Tick
      key={type}
      code={type}
      isOn={isFixed || patterns.includes(type)}
      isFixed={isFixed}
      onChange={(isOn) => set(type, isOn)}
    />
  );
  return (
    <fieldset class="group">
      {members.includes(name) && tick(name, isAll)}
      {taken.length > 0 && (
        <Tick code={pattern} isOn={isWhole} isFixed={isAll} onChange={(isOn) => set(pattern, isOn, taken)} />
      )}
      <div class="members">{taken.map((type) => tick(type, isWhole))}</div>
    </fieldset>
  );
}

type TickProps = {
  label?: string;
  code?: string;
  isOn: boolean;
  isFixed?: boolean;
  onChange(isOn: boolean): void;
};

function Tick({ label, code, isOn, isFixed = false, onChange }: TickProps) {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={isOn}
        disabled={isFixed}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label ?? <code>{visible(code ?? "")}</code>}
    </label>
  );
}
