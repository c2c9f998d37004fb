import type { components } from "../../client/openapi";
import { lookOfHealth } from "../pages/states";
import { call } from "../shared/api";
import { Choice } from "../shared/choice";
import { addressOf, nameOf } from "../shared/endpoint-name";
import { pendingWords } from "../shared/format";
import { PAGE, useLiveList } from "../shared/live-list";
import { linkTo, params, setParams } from "../shared/location";
import { State } from "../shared/parts";
import { plainText } from "../shared/sentence";
import { now } from "../shared/server-clock";
import type { Column } from "../shared/table";
import { visible } from "../shared/visible-text";
import { AccountList, accountColumn } from "./account-list";
import { useAccounts } from "./data";
import { healthDetail } from "./endpoint-sentences";

export type AccountEndpoint = components["schemas"]["AccountEndpoint"];

const HEALTH = ["failing", "blocked", "disabled", "paused", "healthy"] as const;

/** Chooses the health of the listed endpoints. */
export function HealthChoice() {
  const chosen = HEALTH.find((each) => each === params.value.get("health"));
  const options = HEALTH.map((value) => ({ value, label: lookOfHealth(value).word }));
  return (
    <Choice
      name="Health"
      value={chosen ?? ""}
      shown={chosen ? lookOfHealth(chosen).word : "any health"}
      options={[{ value: "", label: "any health" }, ...options]}
      onChoose={(health) => setParams({ health }, { replace: false })}
    />
  );
}

/** The endpoints of all accounts with their health and its reason. A row leads to its account. */
export function EndpointsOfAll({ customer }: { customer: string | null }) {
  const health = HEALTH.find((each) => each === params.value.get("health"));
  const list = useLiveList<AccountEndpoint>(
    JSON.stringify(["endpoints", health ?? null, customer]),
    (cursor) =>
      call("get", "/v1/admin/endpoints", {
        query: { health, account: customer ?? undefined, limit: PAGE, cursor },
      }),
  );
  return (
    <AccountList
      list={list}
      label="Endpoints of all accounts, newest first"
      look="all-endpoints"
      columns={useEndpointColumns()}
      heights={[56, 96]}
    />
  );
}

/** The columns of a list of endpoints of all accounts. */
export function useEndpointColumns(): readonly Column<AccountEndpoint>[] {
  return [NAME, accountColumn(useAccounts().data), WELL, WAITING];
}

const NAME: Column<AccountEndpoint> = {
  name: "name",
  title: "Endpoint",
  cell: (endpoint) => (
    <span class="two">
      <a
        class="row-link strong trunc"
        href={linkTo(`/console/endpoints/${endpoint.id}`, { account: endpoint.account_id })}
      >
        {visible(nameOf(endpoint))}
      </a>
      <small class="mono trunc">{visible(addressOf(endpoint))}</small>
    </span>
  ),
};

const WELL: Column<AccountEndpoint> = {
  name: "health",
  title: "Health",
  cell: (endpoint) => (
    <span class="two">
      <State look={lookOfHealth(endpoint.health.state)} />
      {/* As text: its links would lead to the account that the page shows. */}
      <small class="trunc">{visible(plainText([healthDetail(endpoint)], now.value))}</small>
    </span>
  ),
};

const WAITING: Column<AccountEndpoint> = {
  name: "waiting",
  title: "Waiting",
  isRight: true,
  cell: ({ health: { pending } }) =>
    pending > 0 ? <b>{pendingWords(pending)}</b> : <span class="faint">0</span>,
};
