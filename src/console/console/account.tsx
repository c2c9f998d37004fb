import { useEffect } from "preact/hooks";
import type { Account } from "../../client/types";
import { ActionButton } from "../pages/actions";
import { useEndpoints } from "../pages/endpoint-data";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { compact, count } from "../shared/format";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { linkTo, params, setParams } from "../shared/location";
import { Card, Facts, Id, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { visible } from "../shared/visible-text";
import { Figure } from "./figure";
import { healthWords } from "./overview-sentences";
import { PlanOf, usePlans } from "./plans";
import { NewestDeliveries } from "./recent-deliveries";
import { RangeChoice, SeriesFigures, useSeries } from "./series";
import { Page } from "./shell";
import { useBacklog, WaitingTable, waitingIn } from "./waiting";

/** The page of a customer, for administrators. It acts for the account, so that its parts are the account's own. */
export function AccountPage({ id }: { id: string }) {
  const account = useResource(`account ${id}`, () =>
    call("get", "/v1/admin/accounts/{id}", { path: { id } }),
  );
  const isActing = params.value.get("account") === id;
  useEffect(() => {
    if (!isActing) setParams({ account: id });
  }, [isActing, id]);
  return (
    <Page
      crumbs={[
        { label: "Accounts", href: "/console/accounts" },
        { label: account.data ? visible(account.data.name) : "Account" },
      ]}
      actions={<RangeChoice />}
    >
      <Loaded resource={account} bars={8}>
        {(data) => (isActing ? <OneAccount account={data} reload={account.reload} /> : null)}
      </Loaded>
    </Page>
  );
}

function OneAccount({ account, reload }: { account: Account; reload(): void }) {
  return (
    <>
      <Lead title={visible(account.name)} under={<Ids account={account} />}>
        <a class="btn" href={linkTo("/console")}>
          Overview
        </a>
        <ActionButton icon="send" label="Open as portal" act={() => openPortal(account)} />
      </Lead>
      <UsageFigures />
      <AccountSeries />
      <AccountWaiting />
      <div class="main-and-side">
        <NewestDeliveries most={10} />
        <AboutAccount account={account} reload={reload} />
      </div>
    </>
  );
}

function Ids({ account: { id, external_id } }: { account: Account }) {
  return (
    <>
      <Id id={id} />
      {external_id && <Id id={external_id} />}
    </>
  );
}

/** Opens the portal as the customer sees it, without the right to change anything. The audit log has the link. */
async function openPortal({ id }: Account): Promise<null> {
  // A window that is opened after the answer would be taken for an advertisement.
  const tab = open("", "_blank");
  try {
    const { url } = await call("post", "/v1/portal-sessions", {
      body: { account: id, capabilities: ["view"] },
    });
    if (tab) tab.opener = null;
    (tab ?? window).location.href = url;
    return null;
  } catch (error) {
    tab?.close();
    throw error;
  }
}

function UsageFigures() {
  const usage = useResource(keyed("usage"), () => call("get", "/v1/billing/usage", {}), {
    every: 15_000,
  }).data;
  const endpoints = useEndpoints().data;
  if (!usage || !endpoints) return null;
  const { used, limit, remaining } = usage.webhooks;
  const requests = usage.requests_per_minute;
  return (
    <dl class="card figures">
      <Figure
        name="Webhooks this month"
        value={compact(used)}
        tone={remaining === 0 ? "bad" : ""}
        detail={limit === null ? "no limit" : `of ${count(limit)}; ${count(remaining ?? 0)} left`}
      />
      <Figure
        name="Requests a minute"
        value={requests === null ? "no limit" : count(requests)}
        detail="at most"
      />
      <Figure name="Endpoints" value={count(endpoints.length)} detail={healthWords(endpoints)} />
    </dl>
  );
}

function AccountSeries() {
  const series = useSeries(null).data;
  return series && <SeriesFigures series={series} />;
}

function AccountWaiting() {
  const waiting = waitingIn(useBacklog(), useEndpoints().data);
  if (waiting.length === 0) return null;
  return (
    <Card title="What waits, and why" class="waiting-card">
      <WaitingTable waiting={waiting} />
    </Card>
  );
}

function AboutAccount({ account, reload }: { account: Account; reload(): void }) {
  const plans = usePlans(true).data ?? [];
  return (
    <Card title="About this account">
      <Facts
        facts={[
          ["Plan", <PlanOf key={account.plan} account={account} plans={plans} reload={reload} />],
          ["Created", <Time key="c" at={account.created_at} seconds={false} />],
          [
            "Changes",
            <a key="a" class="link" href={linkTo("/console/activity")}>
              all changes
            </a>,
          ],
        ]}
      />
    </Card>
  );
}
