import { useState } from "preact/hooks";
import type { Key } from "../../client/types";
import { useAction } from "../pages/actions";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { readField } from "../shared/format";
import { ConfirmDialog, FormDialog, ShownOnce } from "../shared/forms";
import { Icon } from "../shared/icon";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import type { Look } from "../shared/look";
import { Card, Empty, State, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { now } from "../shared/server-clock";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { can, type Permission } from "./session";
import { Page } from "./shell";

const PERMISSIONS: readonly (readonly [Permission, string])[] = [
  ["webhooks:read", "See deliveries, events and jobs"],
  ["webhooks:write", "Send, and erase payloads"],
  ["webhooks:retry", "Retry, resend, cancel, test"],
  ["endpoints:read", "See endpoints"],
  ["endpoints:write", "Create, change and delete endpoints"],
  ["event-types:write", "Set schemas"],
  ["stats:read", "See figures and usage"],
  ["keys:write", "Manage keys"],
  ["accounts:act", "See all accounts, and act for them"],
  ["admin", "Administer accounts and plans"],
];

const BEYOND_ACCOUNT: readonly Permission[] = ["accounts:act", "admin"];

/** The permissions for a support desk: to view and to resend. */
const SUPPORT: readonly Permission[] = ["webhooks:read", "webhooks:retry", "endpoints:read", "stats:read"];

export function Keys() {
  const [isNew, setNew] = useState(false);
  const keys = useResource(keyed("keys"), async () => (await call("get", "/v1/keys", {})).data);
  const close = () => {
    setNew(false);
    keys.reload();
  };
  return (
    <Page crumbs={[{ label: "Keys" }]}>
      <Lead
        title="API keys"
        intro="A key works for this account alone, unless it may act for all accounts. Its text is shown once."
      >
        <button type="button" class="btn pri" onClick={() => setNew(true)}>
          <Icon name="plus" />
          New key
        </button>
      </Lead>
      <Card label="List of keys">
        <Loaded resource={keys} bars={4} height={56}>
          {(data) => <Rows keys={data} reload={keys.reload} />}
        </Loaded>
      </Card>
      {isNew && <NewKey onClose={close} />}
    </Page>
  );
}

function lookOfKey({ is_active, expires_at }: Key): Look {
  if (!is_active) return { icon: "slash", tone: "calm", word: "Disabled" };
  if (expires_at && Date.parse(expires_at) <= now.value)
    return { icon: "clock", tone: "calm", word: "Expired" };
  return { icon: "check", tone: "ok", word: "Active" };
}

function Rows({ keys, reload }: { keys: readonly Key[]; reload(): void }) {
  const columns: readonly Column<Key>[] = [
    {
      name: "name",
      title: "Key",
      cell: ({ id, name }) => (
        <span class="two">
          <span class="strong trunc">{visible(name ?? "no name")}</span>
          <small class="mono trunc">{id}</small>
        </span>
      ),
    },
    { name: "status", title: "Status", cell: (key) => <State look={lookOfKey(key)} /> },
    {
      name: "permissions",
      title: "May",
      cell: ({ permissions }) => (
        <span class="clamp" title={permissions.join(", ")}>
          {permissionWords(permissions)}
        </span>
      ),
    },
    {
      name: "used",
      title: "Last used",
      cell: ({ last_used_at }) =>
        last_used_at ? <Time at={last_used_at} seconds={false} /> : <span class="faint">never</span>,
    },
    {
      name: "expires",
      title: "Expires",
      cell: ({ expires_at }) =>
        expires_at ? <Time at={expires_at} seconds={false} /> : <span class="faint">never</span>,
    },
    {
      name: "act",
      title: "Actions",
      isTitleHidden: true,
      isRight: true,
      cell: (key) => <Actions subject={key} reload={reload} />,
    },
  ];
  return (
    <Table
      label="Keys, newest first"
      look="keys"
      columns={columns}
      items={keys}
      keyOf={({ id }) => id}
      heights={[56, 136]}
      nothing={<Empty title="This account has no keys of its own" />}
    />
  );
}

function permissionWords(permissions: readonly Permission[]): string {
  if (permissions.includes("admin")) return "everything, and administer";
  if (permissions.length >= PERMISSIONS.length - BEYOND_ACCOUNT.length) return "everything in the account";
  return permissions.join(", ");
}

function Actions({ subject: key, reload }: { subject: Key; reload(): void }) {
  const [isAsking, setAsking] = useState(false);
  const toggle = useAction(async () => {
    await call("patch", "/v1/keys/{id}", { path: { id: key.id }, body: { is_active: !key.is_active } });
    reload();
    return key.is_active ? "Disabled, within five seconds everywhere." : "Enabled.";
  });
  const revoke = useAction(async () => {
    await call("delete", "/v1/keys/{id}", { path: { id: key.id } });
    setAsking(false);
    reload();
    return "Revoked, within five seconds everywhere.";
  });
  const name = key.name ?? key.id;
  return (
    <span class="row">
      <button
        type="button"
        class="btn sm"
        onClick={() => void toggle.run()}
        aria-label={`${key.is_active ? "Disable" : "Enable"} ${name}`}
      >
        {key.is_active ? "Disable" : "Enable"}
      </button>
      <button
        type="button"
        class="btn sm danger"
        onClick={() => setAsking(true)}
        aria-label={`Revoke ${name}`}
      >
        Revoke
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Revoke ${visible(name)}?`}
          action="Revoke the key"
          isDangerous
          isBusy={revoke.isBusy}
          onClose={() => setAsking(false)}
          onConfirm={() => void revoke.run()}
        >
          Requests with it are refused from now on, and so are those with keys that it created. This can't be
          undone.
        </ConfirmDialog>
      )}
    </span>
  );
}

function NewKey({ onClose }: { onClose(): void }) {
  const mine = PERMISSIONS.filter(([permission]) => can(permission));
  const [chosen, setChosen] = useState<readonly Permission[]>(
    mine.map(([name]) => name).filter((name) => name.endsWith(":read")),
  );
  const [text, setText] = useState<string | null>(null);
  const create = async (form: FormData) => {
    const expires = String(form.get("expires") ?? "");
    const key = await call("post", "/v1/keys", {
      body: {
        name: String(form.get("name") ?? "").trim() || null,
        permissions: [...chosen],
        ...(expires && { expires_at: readField(expires) }),
      },
    });
    setText(key.key);
  };
  if (text !== null) return <ShownOnce title="The new key" secret={text} onClose={onClose} />;
  return (
    <FormDialog
      title="New key"
      action="Create the key"
      isReady={chosen.length > 0}
      onClose={onClose}
      submit={create}
    >
      <label>
        Name
        <input class="input" name="name" placeholder="billing-service" required />
      </label>
      <fieldset class="choices">
        <legend>
          Permissions
          <button type="button" class="btn sm" onClick={() => setChosen(SUPPORT.filter(can))}>
            Only what support needs
          </button>
        </legend>
        {mine.map(([permission, words]) => (
          <PermissionTick
            key={permission}
            permission={permission}
            words={words}
            isOn={chosen.includes(permission)}
            onChange={(isOn) => {
              const others = chosen.filter((each) => each !== permission);
              setChosen(isOn ? [...others, permission] : others);
            }}
          />
        ))}
      </fieldset>
      <label>
        Expires
        <input class="input" type="datetime-local" name="expires" />
        <small>Empty for never.</small>
      </label>
    </FormDialog>
  );
}

type PermissionTickProps = {
  permission: Permission;
  words: string;
  isOn: boolean;
  onChange(isOn: boolean): void;
};

function PermissionTick({ permission, words, isOn, onChange }: PermissionTickProps) {
  return (
    <label class="tick">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span class="two">
        <span>{words}</span>
        <small class="mono">{permission}</small>
      </span>
    </label>
  );
}
