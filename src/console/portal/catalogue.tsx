import type { EventType } from "../../client/types";
import { isTest, TEST_EVENT } from "../../domain/test-event";
import { useEventTypes } from "../pages/endpoint-data";
import { byEventType, Deprecated, Example, KeptSchema } from "../pages/event-type";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { visible } from "../shared/visible-text";
import { texts } from "./session";

/** The page of event types, with the form of their payloads. */
export function Catalogue() {
  return (
    <>
      <Lead title={texts.value.catalogue} />
      <Loaded resource={useEventTypes()} bars={5}>
        {(data) => (
          <Groups types={data.filter(({ event_type }) => !isTest(event_type)).toSorted(byEventType)} />
        )}
      </Loaded>
      <TestType />
    </>
  );
}

function Groups({ types }: { types: readonly EventType[] }) {
  const t = texts.value;
  const groups = Map.groupBy(types, ({ group }) => group);
  const names = [...groups.keys()].toSorted(byName);
  if (types.length === 0) return <p class="dim">{t.noTypes}</p>;
  return (
    <>
      {names.map((name) => (
        <section key={name} class="stack" aria-label={name === null ? t.others : visible(name)}>
          {names.length > 1 && <h2>{name === null ? t.others : visible(name)}</h2>}
          <ul class="stack">
            {groups.get(name)?.map((type) => (
              <li class="card" key={type.event_type}>
                <Type type={type} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** The only type that Hermod itself sends to receivers. A forged test reaches them under the same name. */
function TestType() {
  const t = texts.value;
  return (
    <section class="stack" aria-label={t.eventNames[TEST_EVENT]}>
      <div class="card pad type">
        <code class="break">{TEST_EVENT}</code>
        <span class="description">{t.testType}</span>
      </div>
    </section>
  );
}

/** Types without a group come last. */
function byName(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.localeCompare(b);
}

function Type({ type }: { type: EventType }) {
  const { event_type, description, example, schema } = type;
  const head = (
    <>
      <code class="break">{visible(event_type)}</code>
      <Deprecated type={type} />
      {description !== null && <span class="description">{visible(description)}</span>}
    </>
  );
  if (example === null && schema === null) return <div class="pad type">{head}</div>;
  return (
    <details>
      <summary class="type">{head}</summary>
      <Example type={type} />
      <KeptSchema type={type} />
    </details>
  );
}
