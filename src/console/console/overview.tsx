import type { Endpoint } from "../../client/types";
import { useEndpoints } from "../pages/endpoint-data";
import { SERVICE_URL } from "../shared/api";
import { Code } from "../shared/code";
import { plural } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo } from "../shared/location";
import { Card, Problem, Skeleton } from "../shared/parts";
import { type BacklogFacts, headlineOf, healthWords } from "./overview-sentences";
import { NewestDeliveries } from "./recent-deliveries";
import { AnswersChart, RangeChoice, SeriesFigures, useSeries } from "./series";
import { can } from "./session";
import { Page } from "./shell";
import { useBacklog, WaitingTable, waitingIn } from "./waiting";

/** The page that shows late deliveries and the reasons, without a click. */
export function Overview() {
  const endpoints = useEndpoints();
  const backlog = useBacklog();
  const waiting = waitingIn(backlog, endpoints.data);
  const series = useSeries(null).data;
  return (
    <Page crumbs={[{ label: "Overview" }]} actions={<RangeChoice />}>
      {endpoints.error && <Problem error={endpoints.error} retry={endpoints.reload} />}
      {!endpoints.data && !endpoints.error && <Skeleton rows={8} />}
      {endpoints.data?.length === 0 && <FirstSteps />}
      {endpoints.data && endpoints.data.length > 0 && (
        <>
          <Headline endpoints={endpoints.data} backlog={backlog} />
          <div class="overview">
            {series && <SeriesFigures series={series} />}
            {waiting.length > 0 && (
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
          <NewestDeliveries most={8} />
        </>
      )}
    </Page>
  );
}

function Headline({ endpoints, backlog }: { endpoints: readonly Endpoint[]; backlog: BacklogFacts | null }) {
  return (
    <div class="lead">
      <div class="grow">
        <h1>{headlineOf(endpoints, backlog)}</h1>
        <p>{healthWords(endpoints)}</p>
      </div>
      <a class="btn" href={linkTo("/console/deliveries")}>
        <Icon name="search" />
        Find a delivery
      </a>
    </div>
  );
}

/** The steps to a first webhook, with commands that can be copied and run. */
function FirstSteps() {
  const register = `curl ${SERVICE_URL}/v1/endpoints \\
  -H "Authorization: Bearer $HERMOD_KEY" -H "Content-Type: application/json" \\
  -d '{"url":"https://example.com/webhooks"}'`;
  const send = `curl ${SERVICE_URL}/v1/events \\
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
