import { useState } from "preact/hooks";
import type { Account, Plan } from "../../client/types";
import { call } from "../shared/api";
import { count } from "../shared/format";
import { FormDialog } from "../shared/forms";
import { Icon } from "../shared/icon";
import { linkTo, params, setParams } from "../shared/location";
import { Card, Id, Problem, Skeleton, Time } from "../shared/parts";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { useIsOneCell } from "./cell";
import { useAccounts } from "./data";
import { PlanOf, Plans, usePlans } from "./plans";
import { Page } from "./shell";

/** The page of customers and the limits of their plans, for administrators. */
export function Accounts() {
  const accounts = useAccounts();
  const isOneCell = useIsOneCell();
  const plans = usePlans(isOneCell === true);
  const [isNew, setNew] = useState(false);
  const text = (params.value.get("q") ?? "").toLowerCase();
  const shown = accounts.data?.filter(({ name, external_id, id }) =>
    `${name} ${external_id} ${id}`.toLowerCase().includes(text),
  );
  return (
    <Page crumbs={[{ label: "Accounts" }]}>
      <div class="lead">
        <div class="grow">
          <h1>{accounts.data ? `${count(accounts.data.length)} accounts` : "Accounts"}</h1>
          <p>Each has its own endpoints, deliveries and keys.</p>
        </div>
        <input
          class="input search-field"
          type="search"
          placeholder="Name or external id"
          aria-label="Search accounts"
          value={params.value.get("q") ?? ""}
          onInput={(event) => setParams({ q: event.currentTarget.value })}
        />
        <button type="button" class="btn pri" onClick={() => setNew(true)}>
          <Icon name="plus" />
          New account
        </button>
      </div>
      {accounts.error && <Problem error={accounts.error} retry={accounts.reload} />}
      <Card label="List of accounts">
        {!shown && !accounts.error && <Skeleton rows={6} height={56} />}
        {shown && <Rows accounts={shown} plans={plans.data ?? []} reload={accounts.reload} />}
      </Card>
      {plans.data && <Plans plans={plans.data} reload={plans.reload} />}
      {isOneCell === false && (
        <Card title="Plans">
          <p class="pad">Each cell has its own plans. Choose a cell to see them.</p>
        </Card>
      )}
      {isNew && (
        <NewAccount
          plans={plans.data ?? []}
          isPlaced={isOneCell === false}
          onClose={() => {
            setNew(false);
            accounts.reload();
          }}
        />
      )}
    </Page>
  );
}

function Rows({
  accounts,
  plans,
  reload,
}: {
  accounts: readonly Account[];
  plans: readonly Plan[];
  reload(): void;
}) {
  const columns: readonly Column<Account>[] = [
    {
      name: "name",
      title: "Account",
      cell: ({ id, name, external_id }) => (
        <span class="two">
          <a class="row-link strong trunc" href={linkTo(`/console/accounts/${id}`, { account: id })}>
            {visible(name)}
          </a>
          <small class="mono trunc">{visible(external_id ?? id)}</small>
        </span>
      ),
    },
    {
      name: "plan",
      title: "Plan",
      cell: (account) => <PlanOf account={account} plans={plans} reload={reload} />,
    },
    { name: "id", title: "Id", cell: ({ id }) => <Id id={id} /> },
    {
      name: "time",
      title: "Created",
      isRight: true,
      cell: ({ created_at }) => <Time at={created_at} seconds={false} />,
    },
  ];
  return (
    <Table
      label="Accounts, newest first"
      look="accounts"
      columns={columns}
      items={accounts}
      keyOf={({ id }) => id}
      heights={[56, 92]}
    />
  );
}

type NewAccountProps = {
  plans: readonly Plan[];
  /** True if the router chooses the cell. */
  isPlaced: boolean;
  onClose(): void;
};

function NewAccount({ plans, isPlaced, onClose }: NewAccountProps) {
  const create = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? "").trim();
    await call("post", "/v1/admin/accounts", {
      body: { name: text("name"), external_id: text("external_id") || null, plan: text("plan") || null },
    });
    onClose();
  };
  return (
    <FormDialog title="New account" action="Create" onClose={onClose} submit={create}>
      <label>
        Name
        <input class="input" name="name" required placeholder="Kestrel Freight" />
      </label>
      <label>
        Your own id for it
        <input class="input mono" name="external_id" placeholder="kestrel-freight" />
        <small>Requests can name the account by it.</small>
      </label>
      <label>
        Plan
        <select class="input" name="plan">
          <option value="">the default</option>
          {plans.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {isPlaced && (
        <p>It goes to the cell with the fewest accounts. To place it elsewhere, choose a cell first.</p>
      )}
    </FormDialog>
  );
}
