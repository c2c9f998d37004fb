import { useState } from "preact/hooks";
import type { EventType, SchemaVersion } from "../../client/types";
import { Example } from "../pages/event-type";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { Code, prettyJson } from "../shared/code";
import { plural } from "../shared/format";
import { FormDialog } from "../shared/forms";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { linkTo } from "../shared/location";
import { Card, EditButton, Empty, Facts, Id, Time } from "../shared/parts";
import { invalidate, useResource } from "../shared/resource";
import { visible } from "../shared/visible-text";
import { Inherited } from "./event-types";
import { readEntry } from "./json-entry";
import { SchemaDiff } from "./schema-diff";
import { SchemaEditor } from "./schema-editor";
import { can } from "./session";
import { Page } from "./shell";

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

export function Shown({ type, reload }: { type: EventType; reload(): void }) {
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
      <SchemaEditor type={type} reload={reload} />
      <Override type={type} />
      <Versions type={type} />
    </>
  );
}

/** The description of an event type, for people and for tests. */
function Described({ type, reload }: { type: EventType; reload(): void }) {
  const [isOpen, setOpen] = useState(false);
  const { description, group, deprecated } = type;
  return (
    <Card title="Description" actions={can("event-types:write") && <EditButton open={() => setOpen(true)} />}>
      <Facts
        facts={[
          ["What happened", description === null ? "not described yet" : visible(description)],
          ["Group", group && visible(group)],
          ["Since", <Time key="since" at={type.created_at} />],
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
        example: example === null ? null : readEntry("The example", example),
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

/** Compares the account's schema with the installation's, which it overrides. Only administrators see the latter. */
function Override({ type: { event_type, schema, source } }: { type: EventType }) {
  const isAsked = schema !== null && source === "account" && can("admin");
  const { data } = useResource(isAsked ? keyed("installation-type", event_type) : null, () =>
    call("get", "/v1/admin/event-types/{name}", { path: { name: event_type } }),
  );
  if (!data?.schema || schema === null) return null;
  return (
    <SchemaDiff
      title="Differences from the schema for all accounts, which this one replaces"
      before={data.schema}
      after={schema}
    />
  );
}

/** The versions of the schema, newest first, each with what it changed. */
function Versions({ type }: { type: EventType }) {
  const { data } = useResource(
    type.schema_version === 0 ? null : keyed("schema-versions", type.event_type, type.schema_version),
    () => call("get", "/v1/event-types/{name}/schema/versions", { path: { name: type.event_type } }),
  );
  if (!data) return null;
  return (
    <Card title="Versions of the schema" meta={plural(data.data.length, "version", "versions")}>
      <ul class="fields">
        {data.data.map((each, index) => (
          <Version key={each.version} version={each} former={data.data[index + 1]} />
        ))}
      </ul>
    </Card>
  );
}

function Version({ version: shown, former }: { version: SchemaVersion; former: SchemaVersion | undefined }) {
  const { version, schema, created_at } = shown;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          Version {version}, <Time at={created_at} />
          {schema === null && ", removed"}
        </summary>
        {isOpen && schema !== null && former?.schema && (
          <SchemaDiff
            title={`Changes since version ${former.version}`}
            before={former.schema}
            after={schema}
          />
        )}
        {isOpen && schema !== null && <Code label={`Version ${version}`} text={prettyJson(schema)} isJson />}
      </details>
    </li>
  );
}
