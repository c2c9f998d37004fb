import { useMemo, useState } from "preact/hooks";
import type { EventType } from "../../client/types";
import { useEventTypes } from "../pages/endpoint-data";
import { byEventType, Deprecated, KeptSchema } from "../pages/event-type";
import { keyed } from "../shared/access";
import { call, parseJson } from "../shared/api";
import { prettyJson } from "../shared/code";
import { plural } from "../shared/format";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { linkTo } from "../shared/location";
import { Card, Empty, Id, problemText, State, Time } from "../shared/parts";
import { invalidate, useResource } from "../shared/resource";
import { type Column, Table } from "../shared/table";
import { say } from "../shared/toast";
import { visible } from "../shared/visible-text";
import { Described, ImportCatalogue, SchemaTrial, Versions } from "./catalogue";
import { schemaFields } from "./schema-fields";
import { SearchField, searchedText } from "./search-field";
import { can } from "./session";
import { Page } from "./shell";

export function EventTypes() {
  const [isImporting, setImporting] = useState(false);
  const types = useEventTypes();
  const { data } = types;
  return (
    <Page crumbs={[{ label: "Event types" }]}>
      <Lead
        title={data ? plural(data.length, "event type", "event types") : "Event types"}
        intro="An event type appears here once it is sent, described, or given a schema."
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
          {(data) => <List types={data} />}
        </Loaded>
      </Card>
    </Page>
  );
}

function List({ types }: { types: readonly EventType[] }) {
  const text = searchedText();
  const shown = types
    .filter(({ event_type, group }) => `${event_type} ${group ?? ""}`.toLowerCase().includes(text))
    .toSorted(byEventType);
  return (
    <Table
      label="Event types by name"
      look="types"
      columns={COLUMNS}
      items={shown}
      nothing={<Empty title={text ? "None is called that" : "No events yet"} />}
      keyOf={({ event_type }) => event_type}
    />
  );
}

const COLUMNS: readonly Column<EventType>[] = [
  {
    name: "event",
    title: "Event type",
    cell: (type) => (
      <span class="row">
        <a
          class="row-link strong mono trunc"
          href={linkTo(`/console/event-types/${encodeURIComponent(type.event_type)}`)}
        >
          {visible(type.event_type)}
        </a>
        <Deprecated type={type} />
        <Inherited type={type} />
      </span>
    ),
  },
  {
    name: "answer",
    title: "Group",
    cell: ({ group }) => <span class="trunc dim">{group === null ? "" : visible(group)}</span>,
  },
  {
    name: "status",
    title: "Schema",
    cell: ({ schema }) =>
      schema ? (
        <State look={{ icon: "check", tone: "ok", word: "Checked by a schema" }} />
      ) : (
        <span class="faint">no schema</span>
      ),
  },
  {
    name: "time",
    title: "Since",
    isRight: true,
    cell: ({ created_at }) => <Time at={created_at} seconds={false} />,
  },
];

/** Marks an event type that is described for the whole installation. */
function Inherited({ type }: { type: EventType }) {
  if (type.source !== "installation") return null;
  return (
    <span class="pill" title="Described for all accounts. What you set here holds for this account alone.">
      for all accounts
    </span>
  );
}

export function EventTypePage({ name }: { name: string }) {
  const type = useResource(keyed("event-type", name), () =>
    call("get", "/v1/event-types/{name}", { path: { name } }),
  );
  return (
    <Page crumbs={[{ label: "Event types", href: "/console/event-types" }, { label: name }]}>
      <Loaded resource={type} bars={8} absent={<Empty isPage title="There is no such event type" />}>
        {(data) => <Shown type={data} reload={type.reload} />}
      </Loaded>
    </Page>
  );
}

type ShownTypeProps = { type: EventType; reload(): void };

function Shown({ type, reload }: ShownTypeProps) {
  const under = (
    <>
      <Id id={type.event_type} />
      <Inherited type={type} />
      <a class="link" href={linkTo("/console/deliveries", { event: type.event_type })}>
        Its deliveries
      </a>
    </>
  );
  return (
    <>
      <Lead title={visible(type.event_type)} under={under} />
      <Described type={type} reload={reload} />
      <Schema type={type} reload={reload} />
      <Versions type={type} />
    </>
  );
}

const FIRST_SCHEMA = { type: "object", required: [], properties: {} };

/** The edited text of an event type's schema, and its fate. */
function useSchemaEditor(type: EventType, reload: () => void) {
  const kept = type.schema === null ? "" : prettyJson(type.schema);
  const [draft, setDraft] = useState(kept);
  const [refusal, setRefusal] = useState<string | null>(null);
  const parsed = useMemo(() => parse(draft), [draft]);
  const path = { name: type.event_type };
  const attempt = async (work: () => Promise<string>) => {
    try {
      say(await work());
      setRefusal(null);
      invalidate("event-types");
      reload();
    } catch (error) {
      setRefusal(problemText(error));
    }
  };
  const save = (schema: Record<string, unknown>) =>
    attempt(async () => {
      const { warnings } = await call("put", "/v1/event-types/{name}/schema", { path, body: { schema } });
      const before = warnings.length > 0 ? " It would have refused some of the last day." : "";
      return `Saved. Payloads are checked within two seconds.${before}`;
    });
  const remove = () =>
    attempt(async () => {
      await call("delete", "/v1/event-types/{name}/schema", { path });
      setDraft("");
      return "Removed. Any payload is accepted again within two seconds.";
    });
  return {
    kept,
    draft,
    setDraft,
    parsed,
    problem: refusal ?? (parsed.ok ? null : parsed.problem),
    save,
    remove,
  };
}

type SchemaEditor = ReturnType<typeof useSchemaEditor>;

/** The schema as JSON and as its fields, side by side; both show what is typed. */
function Schema({ type, reload }: ShownTypeProps) {
  const editor = useSchemaEditor(type, reload);
  if (!can("event-types:write"))
    return (
      <Card title="Schema">
        {type.schema === null && <p class="pad dim">No schema yet. Every payload is accepted.</p>}
        <KeptSchema type={type} />
      </Card>
    );
  const isEmpty = editor.draft === "";
  return (
    <div class={isEmpty ? undefined : "two-columns even"}>
      <Card
        title="Schema"
        meta="JSON Schema, draft 2020-12 or draft 7"
        actions={<SchemaActions editor={editor} hasSchema={type.schema !== null} />}
      >
        {isEmpty ? <FirstSchema onWrite={editor.setDraft} /> : <SchemaText editor={editor} />}
        {editor.problem && (
          <p class="field-problem pad" role="alert">
            {editor.problem}
          </p>
        )}
      </Card>
      {!isEmpty && (
        <Card title="Fields" meta="of the schema">
          {editor.parsed.ok ? (
            <>
              <Fields schema={editor.parsed.value} />
              <SchemaTrial name={type.event_type} schema={editor.parsed.value} />
            </>
          ) : (
            <p class="pad dim">They appear once the JSON is valid.</p>
          )}
        </Card>
      )}
    </div>
  );
}

function SchemaActions({ editor, hasSchema }: { editor: SchemaEditor; hasSchema: boolean }) {
  const { parsed, draft, kept, save, remove } = editor;
  const isReady = parsed.ok && draft !== kept;
  return (
    <>
      {hasSchema && (
        <button type="button" class="btn sm danger" onClick={() => void remove()}>
          Remove
        </button>
      )}
      {draft !== "" && (
        <button
          type="button"
          class="btn sm pri"
          disabled={!isReady}
          onClick={() => parsed.ok && void save(parsed.value)}
        >
          Save
        </button>
      )}
    </>
  );
}

function FirstSchema({ onWrite }: { onWrite(text: string): void }) {
  return (
    <Empty title="Any payload is accepted">
      <p>With a schema, a send whose payload does not match is refused.</p>
      <button type="button" class="btn" onClick={() => onWrite(prettyJson(FIRST_SCHEMA))}>
        Write a schema
      </button>
    </Empty>
  );
}

function SchemaText({ editor: { draft, setDraft } }: { editor: SchemaEditor }) {
  return (
    <textarea
      class="editor mono"
      aria-label="JSON Schema"
      spellcheck={false}
      rows={Math.min(40, Math.max(14, draft.split("\n").length + 1))}
      value={draft}
      onInput={(event) => setDraft(event.currentTarget.value)}
    />
  );
}

type Parsed = { ok: true; value: Record<string, unknown> } | { ok: false; problem: string | null };

function parse(text: string): Parsed {
  if (text.trim() === "") return { ok: false, problem: null };
  try {
    const value = parseJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { ok: true, value: value as Record<string, unknown> };
    return { ok: false, problem: "A schema is a JSON object." };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : "This is not JSON." };
  }
}

function Fields({ schema }: { schema: Record<string, unknown> }) {
  const fields = schemaFields(schema);
  if (fields.length === 0) return <p class="pad dim">The schema names no fields.</p>;
  return (
    <ul class="fields">
      {fields.map(({ name, depth, type, isRequired, detail }, index) => (
        <li key={index} data-depth={depth}>
          <code>{visible(name)}</code>
          <span class="faint">{visible(type)}</span>
          {isRequired && <span class="pill">required</span>}
          {detail && <span class="dim">{visible(detail)}</span>}
        </li>
      ))}
    </ul>
  );
}
