import { useState } from "preact/hooks";
import type { EventType } from "../../client/types";
import { useCatalogue } from "../pages/endpoint-data";
import { EventTree } from "../pages/event-tree";
import { cutWords, Deprecated } from "../pages/event-type";
import { call } from "../shared/api";
import { plural } from "../shared/format";
import { FormDialog } from "../shared/forms";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { linkTo } from "../shared/location";
import { Card, Empty, State } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { say } from "../shared/toast";
import { visible } from "../shared/visible-text";
import { readEntry } from "./json-entry";
import { SearchField, searchedText } from "./search-field";
import { can } from "./session";
import { Page } from "./shell";

export function EventTypes() {
  const [isImporting, setImporting] = useState(false);
  const types = useCatalogue();
  const { data } = types;
  return (
    <Page crumbs={[{ label: "Event types" }]}>
      <Lead
        title={data ? plural(data.length, "event type", "event types") : "Event types"}
        intro={`An event type appears here once it is sent, described, or given a schema. ${cutWords(data ?? [])}`}
      >
        <SearchField label="Search event types" example="invoice.paid" />
        {can("event-types:write") && (
          <button type="button" class="btn" onClick={() => setImporting(true)}>
            Import
          </button>
        )}
      </Lead>
      {isImporting && <ImportCatalogue onClose={() => setImporting(false)} />}
      <Card label="List of event types">
        <Loaded resource={types} bars={6}>
          {(data) => <Tree types={data} />}
        </Loaded>
      </Card>
    </Page>
  );
}

function Tree({ types }: { types: readonly EventType[] }) {
  const text = searchedText();
  return (
    <EventTree
      label="Event types by name"
      types={types}
      text={text}
      hrefOf={({ event_type }) => linkTo(`/console/event-types/${encodeURIComponent(event_type)}`)}
      marksOf={(type) => (
        <>
          <Deprecated type={type} />
          <Inherited type={type} />
        </>
      )}
      endOf={({ schema }) =>
        schema ? (
          <State look={{ icon: "check", tone: "ok", word: "Checked by a schema" }} />
        ) : (
          <span class="faint">no schema</span>
        )
      }
      nothing={<Empty title={text ? "None has this in its name, group or description" : "No events yet"} />}
    />
  );
}

/** Marks an event type that is described for the whole installation. */
export function Inherited({ type }: { type: EventType }) {
  if (type.source !== "installation") return null;
  return (
    <span class="pill" title="Described for all accounts. What you set here holds for this account alone.">
      for all accounts
    </span>
  );
}

/** The dialog that imports event types from a document. */
function ImportCatalogue({ onClose }: { onClose(): void }) {
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [text, setText] = useState("");
  const submit = async (form: FormData) => {
    const body = importOf(String(form.get("document") ?? ""));
    const { imported, data } = await call("post", "/v1/catalogue/import", { body });
    invalidate("event-types");
    say(`${plural(imported, "event type is", "event types are")} described.`);
    const problems = data.flatMap(({ event_type, problem }) =>
      problem ? [`${event_type}: ${problem}`] : [],
    );
    setRefused(problems);
    if (problems.length === 0) onClose();
  };
  return (
    <FormDialog title="Import event types" action="Import" isPanel onClose={onClose} submit={submit}>
      <p>
        The webhooks of an OpenAPI 3 document, or the messages of an AsyncAPI 2 or 3 document, as JSON or
        YAML. What the document does not say of an event type stays as it is.
      </p>
      <label>
        File
        <input
          class="input"
          type="file"
          accept=".json,.yaml,.yml,application/json,application/yaml"
          onChange={({ currentTarget: { files } }) => void files?.[0]?.text().then(setText)}
        />
      </label>
      <label>
        Document
        <textarea
          class="input mono"
          name="document"
          rows={16}
          spellcheck={false}
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <small>Choose a file, or paste its text.</small>
      </label>
      {refused.length > 0 && (
        <ul class="fields" aria-label="Refused">
          {refused.map((each) => (
            <li key={each}>{visible(each)}</li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}

/** Returns the object of a JSON text. The service reads any other text as YAML. */
function importOf(yaml: string): { document: Record<string, unknown> } | { yaml: string } {
  if (!yaml.trimStart().startsWith("{")) return { yaml };
  return { document: readEntry("The document", yaml) };
}
