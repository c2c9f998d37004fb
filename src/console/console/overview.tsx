import type { Endpoint } from "../../client/types";
import { useEndpoints } from "../pages/endpoint-data";
import { plural } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo } from "../shared/location";
import { Card, Problem, Skeleton } from "../shared/parts";
import { FirstSteps } from "./first-steps";
import { type BacklogFacts, headlineOf, healthWords } from "./overview-sentences";
import { NewestDeliveries } from "./recent-deliveries";
import { AnswersChart, RangeChoice, SeriesFigures, useSeries } from "./series";
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
