import type { EventType } from "../../client/types";
import { call } from "../shared/api";
import { Code, prettyJson } from "../shared/code";
import { Problem, Skeleton } from "../shared/parts";
import { useResource } from "../shared/resource";
import { visible } from "../shared/visible-text";
import { texts } from "./session";

const MOST = 500;

/** The page of event types, with the form of their payloads. */
export function Catalogue() {
  const t = texts.value;
  const { data, error, reload } = useResource("event-types", async () => {
    const found: EventType[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await call("get", "/v1/event-types", {
        query: { limit: 100, cursor: cursor ?? undefined },
      });
      found.push(...page.data);
      cursor = page.cursor;
    } while (cursor !== null && found.length < MOST);
    return found.toSorted((a, b) => a.event_type.localeCompare(b.event_type));
  });
  return (
    <>
      <h1>{t.catalogue}</h1>
      {error && !data && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={5} />}
      {data?.length === 0 && <p class="dim">{t.noTypes}</p>}
      <ul class="stack">
        {data?.map(({ event_type, schema }) => (
          <li class="card" key={event_type}>
            {schema ? (
              <details>
                <summary class="mono">{visible(event_type)}</summary>
                <Code label={t.schema} text={prettyJson(schema)} isJson />
              </details>
            ) : (
              <p class="pad mono">{visible(event_type)}</p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
