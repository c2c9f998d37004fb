import { useState } from "preact/hooks";
import type { EventType } from "../../client/types";
import { isTest, TEST_EVENT } from "../../domain/test-event";
import { useCatalogue } from "../pages/endpoint-data";
import { EventTree } from "../pages/event-tree";
import { cutWords, Deprecated, Example, KeptSchema } from "../pages/event-type";
import { PayloadTypes } from "../pages/payload-types";
import { Icon } from "../shared/icon";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { params, withParams } from "../shared/location";
import { visible } from "../shared/visible-text";
import { texts } from "./session";

/** The page of event types, with the form of their payloads. */
export function Catalogue() {
  const [text, setText] = useState("");
  const t = texts.value;
  const types = useCatalogue();
  return (
    <>
      <Lead title={t.catalogue} intro={cutWords(types.data ?? [])}>
        <input
          class="input search-field"
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </Lead>
      <Loaded resource={types} bars={5}>
        {(data) => (
          <Both types={data.filter(({ event_type }) => !isTest(event_type))} text={text.toLowerCase()} />
        )}
      </Loaded>
      <TestType />
    </>
  );
}

/** The tree and the chosen event type side by side; on a phone one of them. */
function Both({ types, text }: { types: readonly EventType[]; text: string }) {
  const t = texts.value;
  const chosen = types.find(({ event_type }) => event_type === params.value.get("type"));
  return (
    <div class={chosen ? "portal-deliveries open" : "portal-deliveries"}>
      <section class="card" aria-label={t.catalogue}>
        <EventTree
          label={t.catalogue}
          types={types}
          text={text}
          hrefOf={({ event_type }) => withParams({ type: event_type })}
          marksOf={(type) => <Deprecated type={type} />}
          current={chosen?.event_type}
          nothing={<p class="pad dim">{text === "" ? t.noTypes : t.nothingMatches}</p>}
        />
      </section>
      {chosen && <Chosen type={chosen} />}
    </div>
  );
}

/** The only type that Hermod itself sends to receivers. A forged test reaches them under the same name. */
function TestType() {
  const t = texts.value;
  return (
    <section class="card pad stack" aria-label={t.eventNames[TEST_EVENT]}>
      <code class="break">{TEST_EVENT}</code>
      <span class="description">{t.testType}</span>
    </section>
  );
}

function Chosen({ type }: { type: EventType }) {
  const { event_type, description, group } = type;
  return (
    <section class="card" aria-label={visible(event_type)}>
      <div class="pad stack">
        <div class="row">
          <a class="icon" href={withParams({ type: null })} aria-label={texts.value.back}>
            <Icon name="back" />
          </a>
          <h2 class="mono break">{visible(event_type)}</h2>
          <Deprecated type={type} />
        </div>
        {group !== null && <p class="dim">{visible(group)}</p>}
        {description !== null && <p class="description">{visible(description)}</p>}
      </div>
      <Example type={type} />
      <KeptSchema type={type} />
      <PayloadTypes key={event_type} type={type} />
    </section>
  );
}
