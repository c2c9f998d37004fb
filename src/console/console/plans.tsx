import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Account, Plan } from "../../client/types";
import { useAction } from "../pages/actions";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { count } from "../shared/format";
import { FormDialog } from "../shared/forms";
import { Icon } from "../shared/icon";
import { Card } from "../shared/parts";
import { useResource } from "../shared/resource";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";

/** The plans of the account's cell. */
export function usePlans(isAsked: boolean) {
  const key = isAsked ? keyed("plans") : null;
  return useResource(key, async () => (await call("get", "/v1/admin/plans", {})).data);
}

type PlanOfProps = { account: Account; plans: readonly Plan[]; reload(): void };

/** Chooses the plan of an account, if the plans are known. */
export function PlanOf(props: PlanOfProps) {
  if (props.plans.length === 0) return <span>{visible(props.account.plan)}</span>;
  return <PlanChoice {...props} />;
}

function PlanChoice({ account, plans, reload }: PlanOfProps) {
  const [plan, setPlan] = useState(account.plan);
  const { run } = useAction(async () => {
    await call("patch", "/v1/admin/accounts/{id}", { path: { id: account.id }, body: { plan } });
    reload();
    return `${account.name} has the plan ${plan} now.`;
  });
  return (
    <span class="row above">
      <select
        class="input small"
        aria-label={`Plan of ${account.name}`}
        value={plan}
        onChange={(event) => setPlan(event.currentTarget.value)}
      >
        {plans.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {plan !== account.plan && (
        <button type="button" class="btn sm" onClick={() => void run()}>
          Change
        </button>
      )}
    </span>
  );
}

const limitWords = (value: number | null) => (value === null ? "no limit" : count(value));

/** The plans with their limits, which can be edited. */
export function Plans({ plans, reload }: { plans: readonly Plan[]; reload(): void }) {
  const [edited, setEdited] = useState<Plan | "new" | null>(null);
  const columns: readonly Column<Plan>[] = [
    {
      name: "name",
      title: "Plan",
      cell: (plan) => (
        <button
          type="button"
          class="link strong"
          aria-label={`Edit the plan ${plan.name}`}
          onClick={() => setEdited(plan)}
        >
          {visible(plan.name)} <Icon name="edit" small />
        </button>
      ),
    },
    {
      name: "requests",
      title: "Requests a minute",
      isRight: true,
      cell: (plan) => limitWords(plan.requests_per_minute),
    },
    {
      name: "webhooks",
      title: "Webhooks a month",
      isRight: true,
      cell: (plan) => limitWords(plan.webhooks_per_month),
    },
  ];
  const close = () => {
    setEdited(null);
    reload();
  };
  return (
    <Card
      title="Plans"
      actions={
        <button type="button" class="btn sm" onClick={() => setEdited("new")}>
          New plan
        </button>
      }
    >
      <Table
        label="Plans"
        look="plans"
        columns={columns}
        items={plans}
        keyOf={({ name }) => name}
        heights={[40, 76]}
      />
      {edited && <PlanForm plan={edited === "new" ? null : edited} onClose={close} />}
    </Card>
  );
}

function PlanForm({ plan, onClose }: { plan: Plan | null; onClose(): void }) {
  const save = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const limit = (name: string) => (text(name) === "" ? null : Number(text(name)));
    await call("put", "/v1/admin/plans/{name}", {
      path: { name: plan?.name ?? text("name") },
      body: { requests_per_minute: limit("requests"), webhooks_per_month: limit("webhooks") },
    });
    onClose();
  };
  const title = plan === null ? "New plan" : `Plan ${visible(plan.name)}`;
  return (
    <FormDialog title={title} action="Save" onClose={onClose} submit={save}>
      {plan === null && (
        <label>
          Name
          <input class="input" name="name" required />
        </label>
      )}
      <LimitField label="Requests a minute" name="requests" limit={plan?.requests_per_minute}>
        Empty for no limit.
      </LimitField>
      <LimitField label="Webhooks a month" name="webhooks" limit={plan?.webhooks_per_month}>
        Empty for no limit. Holds for every account with the plan, from now on.
      </LimitField>
    </FormDialog>
  );
}

type LimitProps = {
  label: string;
  name: string;
  /** Null for none. */
  limit: number | null | undefined;
  children: ComponentChildren;
};

function LimitField({ label, name, limit, children }: LimitProps) {
  return (
    <label>
      {label}
      <input class="input" name={name} inputMode="numeric" defaultValue={limit ?? ""} />
      <small>{children}</small>
    </label>
  );
}
