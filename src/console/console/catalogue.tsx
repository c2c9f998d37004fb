import { useState } from "preact/hooks";
import type { EventType, SchemaCheck } from "../../client/types";
import { Example } from "../pages/event-type";
import { keyed } from "../shared/access";
import { call, parseJson } from "../shared/api";
import { Code, prettyJson } from "../shared/code";
import { plural } from "../shared/format";
import { FormDialog } from "../shared/forms";
import { Icon } from "../shared/icon";
import { linkTo } from "../shared/location";
import { Card, Facts, problemText, Time, WrongEntry } from "../shared/parts";
import { invalidate, useResource } from "../shared/resource";
import { say } from "../shared/toast";
import { visible } from "../shared/visible-text";
import { can } from "./session";

/** The description of an event type, for people and for tests. */
export function Described({ type, reload }: { type: EventType; reload(): void }) {
  const [isOpen, setOpen] = useState(false);
  const { description, group, deprecated } = type;
  return (
    <Card
      title="Description"
      actions={
        can("event-types:write") && (
          <button type="button" class="btn sm" onClick={() => setOpen(true)}>
            <Icon name="edit" small />
            Edit
          </button>
        )
      }
    >
      <Facts
        facts={[
          ["What happened", description === null ? "not described yet" : visible(description)],
          ["Group", group && visible(group)],
          ["Deprecated", deprecated && "receivers should no longer use it"],
        ]}
      />
      <Example type={type} />
      {isOpen && (
        <Describe
          type={type}
          onClose={() => {
            setOpen(false);
            reload();
          }}
        />
      )}
    </Card>
  );
}

function Describe({ type, onClose }: { type: EventType; onClose(): void }) {
  const submit = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? "").trim() || null;
    const example = text("example");
    await call("put", "/v1/event-types/{name}", {
      path: { name: type.event_type },
      body: {
        description: text("description"),
        group: text("group"),
        example: example === null ? null : parsed("The example", example),
        deprecated: form.get("deprecated") !== null,
      },
    });
    invalidate("event-types");
    onClose();
  };
  return (
    <FormDialog title="Describe the event type" action="Save" isPanel onClose={onClose} submit={submit}>
      <label>
        What happened
        <textarea class="input" name="description" rows={3}>
          {type.description ?? ""}
        </textarea>
      </label>
      <label>
        Group
        <input class="input" name="group" value={type.group ?? ""} placeholder="Invoices" />
      </label>
      <label>
        Example, a payload as JSON; test events send it
        <textarea class="input mono" name="example" rows={8} spellcheck={false}>
          {type.example === null ? "" : prettyJson(type.example)}
        </textarea>
      </label>
      <label class="tick">
        <input type="checkbox" name="deprecated" checked={type.deprecated} />
        Receivers should no longer use it
      </label>
    </FormDialog>
  );
}

/** Tries a schema on kept payloads before it is saved. */
export function SchemaTrial({ name, schema }: { name: string; schema: Record<string, unknown> }) {
  const [tried, setTried] = useState<{ schema: unknown; found: SchemaCheck } | null>(null);
  const attempt = async () => {
    try {
      const body = { schema };
      const found = await call("post", "/v1/event-types/{name}/schema/check", { path: { name }, body });
      setTried({ schema, found });
    } catch (error) {
      say(problemText(error));
    }
  };
  const found = tried !== null && tried.schema === schema ? tried.found : null;
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

/** The earlier versions of the schema, newest first. */
export function Versions({ type }: { type: EventType }) {
  const { data } = useResource(
    type.schema_version === 0 ? null : keyed("schema-versions", type.event_type, type.schema_version),
    () => call("get", "/v1/event-types/{name}/schema/versions", { path: { name: type.event_type } }),
  );
  if (!data) return null;
  return (
    <Card title="Versions of the schema" meta={plural(data.data.length, "version", "versions")}>
      <ul class="fields">
        {data.data.map(({ version, schema, created_at }) => (
          <li key={version}>
            <details>
              <summary>
                Version {version}, <Time at={created_at} />
                {schema === null && ", removed"}
              </summary>
              {schema !== null && <Code label={`Version ${version}`} text={prettyJson(schema)} isJson />}
            </details>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The dialog that imports event types from a document. */
export function ImportCatalogue({ onClose }: { onClose(): void }) {
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
  return { document: parsed("The document", yaml) as Record<string, unknown> };
}

function parsed(field: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new WrongEntry(`${field} is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}
