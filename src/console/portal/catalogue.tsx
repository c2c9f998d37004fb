import type { EventType } from "../../client/types";
import { useEventTypes } from "../pages/endpoint-data";
import { Code, prettyJson } from "../shared/code";
import { Problem, Skeleton } from "../shared/parts";
import { visible } from "../shared/visible-text";
import { texts } from "./session";

/** The page of event types, with the form of their payloads. */
export function Catalogue() {
  const t = texts.value;
  const { data: all, error, reload } = useEventTypes();
  const data = all
    ?.filter((each) => !isReserved(each))
    .toSorted((a, b) => a.event_type.localeCompare(b.event_type));
  const groups = data && Map.groupBy(data, ({ group }) => group);
  const names = [...(groups?.keys() ?? [])].toSorted(byName);
  return (
    <>
      <h1>{t.catalogue}</h1>
      {error && !data && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={5} />}
      {data?.length === 0 && <p class="dim">{t.noTypes}</p>}
      {names.map((name) => (
        <section key={name} class="stack" aria-label={name === null ? t.others : visible(name)}>
          {names.length > 1 && <h2>{name === null ? t.others : visible(name)}</h2>}
          <ul class="stack">
            {groups?.get(name)?.map((type) => (
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

/** True for Hermod's own event types, such as tests: nobody needs to handle them. */
function isReserved({ event_type }: EventType): boolean {
  return event_type.startsWith("hermod.");
}

/** Types without a group come last. */
function byName(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.localeCompare(b);
}

function Type({ type }: { type: EventType }) {
  const t = texts.value;
  const { event_type, description, deprecated, example, schema } = type;
  const head = (
    <>
      <code class="break">{visible(event_type)}</code>
      {deprecated && <span class="pill warn">{t.deprecated}</span>}
      {description !== null && <span class="description">{visible(description)}</span>}
    </>
  );
  if (example === null && schema === null) return <div class="pad type">{head}</div>;
  return (
    <details>
      <summary class="type">{head}</summary>
      {example !== null && <Code label={t.example} text={prettyJson(example)} isJson />}
      {schema !== null && <Code label={t.schema} text={prettyJson(schema)} isJson />}
    </details>
  );
}
