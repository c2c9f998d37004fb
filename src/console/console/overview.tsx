import type { Endpoint } from "../../client/types";
import { useEndpoints } from "../pages/endpoint-data";
import { Code } from "../shared/code";
import { count, plural } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo } from "../shared/location";
import { Card, Problem, Skeleton } from "../shared/parts";
import { RecentDeliveries } from "./recent-deliveries";
import { AnswersChart, RangeChoice, SeriesFigures, useSeries } from "./series";
import { can } from "./session";
import { Page } from "./shell";
import { isHoldingBack, useWaiting, type Waiting, WaitingTable } from "./waiting";

/** The page that shows late deliveries and the reasons, without a click. */
export function Overview() {
  const endpoints = useEndpoints();
  const waiting = useWaiting(endpoints.data);
  const series = useSeries(null).data;
  return (
    <Page crumbs={[{ label: "Overview" }]} actions={<RangeChoice />}>
      {endpoints.error && <Problem error={endpoints.error} retry={endpoints.reload} />}
      {!endpoints.data && !endpoints.error && <Skeleton rows={8} />}
      {endpoints.data?.length === 0 && <FirstSteps />}
      {endpoints.data && endpoints.data.length > 0 && (
        <>
          <Headline endpoints={endpoints.data} waiting={waiting} />
          <div class="overview">
            {series && <SeriesFigures series={series} />}
            {waiting && waiting.length > 0 && (
              <Card
                title="What waits, and why"
                meta={plural(waiting.length, "endpoint", "endpoints")}
                class="waiting-card"
              >
                <WaitingTable waiting={waiting} />
              </Card>
            )}
          </div>
          {series && <AnswersChart series={series} />}
          <Card
            title="Newest deliveries"
            actions={
              <a class="link" href={linkTo("/console/deliveries")}>
                All deliveries
              </a>
            }
          >
            <RecentDeliveries endpointId="" status="" most={8} />
          </Card>
        </>
      )}
    </Page>
  );
}

function Headline({
  endpoints,
  waiting,
}: {
  endpoints: readonly Endpoint[];
  waiting: readonly Waiting[] | null;
}) {
  const paused = endpoints.filter(({ health }) => health.state === "paused").length;
  const troubled = endpoints.filter(isHoldingBack).length;
  const fine = endpoints.length - troubled - paused;
  return (
    <div class="lead">
      <div class="grow">
        <h1>
          {headlineOf(troubled, fine, waiting?.filter(({ endpoint }) => isHoldingBack(endpoint)) ?? [])}
        </h1>
        <p>
          {count(fine)} of {plural(endpoints.length, "endpoint", "endpoints")}{" "}
          {fine === 1 ? "takes what it is" : "take what they are"} sent.
          {paused > 0 && ` ${count(paused)} ${paused === 1 ? "is" : "are"} paused.`}
        </p>
      </div>
      <a class="btn" href={linkTo("/console/deliveries")}>
        <Icon name="search" />
        Find a delivery
      </a>
    </div>
  );
}

function headlineOf(troubled: number, fine: number, holding: readonly Waiting[]): string {
  if (troubled === 0) return "All receivers take what they are sent.";
  const others = fine > 0 ? " All others are on time." : "";
  if (holding.length === 0)
    return `${plural(troubled, "receiver fails", "receivers fail")}, and nothing waits.${others}`;
  const waits = holding.reduce((sum, { pending }) => sum + pending, 0);
  return `${plural(holding.length, "receiver holds", "receivers hold")} back ${plural(waits, "delivery", "deliveries")}.${others}`;
}

/** The steps to a first webhook, with commands that can be copied and run. */
function FirstSteps() {
  const origin = location.origin;
  const register = `curl ${origin}/v1/endpoints \\
  -H "Authorization: Bearer $HERMOD_KEY" -H "Content-Type: application/json" \\
  -d '{"url":"https://example.com/webhooks"}'`;
  const send = `curl ${origin}/v1/events \\
  -H "Authorization: Bearer $HERMOD_KEY" -H "Content-Type: application/json" \\
  -d '{"event":"invoice.paid","data":{"invoice":"INV-1"}}'`;
  return (
    <>
      <div class="lead">
        <div class="grow">
          <h1>Three steps to the first webhook</h1>
          <p>This account has no endpoints yet.</p>
        </div>
      </div>
      <ol class="first-steps">
        <li>
          <Card
            title="1. Say where to deliver"
            actions={
              can("endpoints:write") && (
                <a class="btn sm pri" href={linkTo("/console/endpoints/new")}>
                  New endpoint
                </a>
              )
            }
          >
            <Code label="Or by the API" text={register} note="HERMOD_KEY holds an API key" />
          </Card>
        </li>
        <li>
          <Card title="2. Send an event">
            <Code label="By the API" text={send} note="every endpoint that wants it gets it" />
          </Card>
        </li>
        <li>
          <Card title="3. See it arrive">
            <p class="pad dim">
              The delivery appears under{" "}
              <a class="link" href={linkTo("/console/deliveries")}>
                Deliveries
              </a>{" "}
              at once, with what the receiver answered.
            </p>
          </Card>
        </li>
      </ol>
    </>
  );
}
