import { useMemo, useState } from "preact/hooks";
import { rawJson } from "../../client/raw-json";
import type { EventType, SchemaCheck } from "../../client/types";
import { KeptSchema } from "../pages/event-type";
import { call, parseJson } from "../shared/api";
import { prettyJson } from "../shared/code";
import { plural } from "../shared/format";
import { JsonText } from "../shared/json-text";
import { linkTo } from "../shared/location";
import { Card, Empty, problemText } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { say } from "../shared/toast";
import { visible } from "../shared/visible-text";
import { SchemaDiff } from "./schema-diff";
import { schemaFields } from "./schema-fields";
import { can } from "./session";

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
  const save = () =>
    attempt(async () => {
      const schema = rawJson(draft);
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

type SchemaDraft = ReturnType<typeof useSchemaEditor>;

/** The schema as JSON and as its fields, side by side; both show what is typed. */
export function SchemaEditor({ type, reload }: { type: EventType; reload(): void }) {
  const editor = useSchemaEditor(type, reload);
  if (!can("event-types:write"))
    return (
      <Card title="Schema">
        {type.schema === null && <p class="pad dim">No schema yet. Every payload is accepted.</p>}
        <KeptSchema type={type} />
      </Card>
    );
  return (
    <>
      <Draft editor={editor} type={type} />
      {type.schema !== null && editor.parsed.ok && (
        <SchemaDiff title="Changes of the draft" before={type.schema} after={editor.parsed.value} />
      )}
    </>
  );
}

function Draft({ editor, type }: { editor: SchemaDraft; type: EventType }) {
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
              <SchemaTrial name={type.event_type} text={editor.draft} />
            </>
          ) : (
            <p class="pad dim">They appear once the JSON is valid.</p>
          )}
        </Card>
      )}
    </div>
  );
}

function SchemaActions({ editor, hasSchema }: { editor: SchemaDraft; hasSchema: boolean }) {
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
        <button type="button" class="btn sm pri" disabled={!isReady} onClick={() => void save()}>
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

function SchemaText({ editor: { draft, setDraft } }: { editor: SchemaDraft }) {
  return (
    <div class="editor">
      <pre aria-hidden="true">
        <JsonText text={draft} write={(text) => text} />
        {"\n"}
      </pre>
      <textarea
        aria-label="JSON Schema"
        spellcheck={false}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
    </div>
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

/** Tries a schema on kept payloads before it is saved. */
function SchemaTrial({ name, text }: { name: string; text: string }) {
  const [tried, setTried] = useState<{ text: string; found: SchemaCheck } | null>(null);
  const attempt = async () => {
    try {
      const body = { schema: rawJson(text) };
      const found = await call("post", "/v1/event-types/{name}/schema/check", { path: { name }, body });
      setTried({ text, found });
    } catch (error) {
      say(problemText(error));
    }
  };
  const found = tried !== null && tried.text === text ? tried.found : null;
  return (
    <div class="pad" aria-live="polite">
      <button type="button" class="btn sm" onClick={() => void attempt()}>
        Try on the last day's payloads
      </button>
      {found && <p>{verdictOf(found)}</p>}
      {found && found.data.length > 0 && (
        <ul class="fields">
          {found.data.slice(0, 20).map(({ id, problem }) => (
            <li key={id}>
              <a
                class="link"
                href={linkTo(`/console/${id.startsWith("evt_") ? "events" : "deliveries"}/${id}`)}
              >
                {id}
              </a>
              <span class="dim">{visible(problem)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function verdictOf({ examined, refused }: SchemaCheck): string {
  if (examined === 0) return "There is no payload of the last day to try it on.";
  const all = plural(examined, "payload", "payloads");
  return refused === 0
    ? `It takes the newest ${all}.`
    : `It would have refused ${refused} of the newest ${all}:`;
}
