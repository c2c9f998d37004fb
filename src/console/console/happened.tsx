import type { DeliveryDetail, Endpoint } from "../../client/types";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { params, withParams } from "../shared/location";
import { Card, Empty, Skeleton, Tabs, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { Sentences } from "../shared/sentence-view";
import { now } from "../shared/server-clock";
import { ChangeList } from "./change-list";
import { useSteps } from "./health-card";
import { deliveryHistory, endpointHistory } from "./history-sentences";
import { can } from "./session";
import type { Happening } from "./strip-sentences";

/** Most changes of a resource that its page reads. The page of activity has all. */
const MOST_CHANGES = 50;
/** Most sentences about an endpoint. */
const MOST_SENTENCES = 20;

/** The newest changes of an endpoint or delivery; none if the session may not see them, null until they are read. */
function useChanges(target: string) {
  const isShown = can("endpoints:read");
  const { data } = useResource(
    isShown ? keyed("changes", target) : null,
    async () => (await call("get", "/v1/activity", { query: { target, limit: MOST_CHANGES } })).data,
    { every: 15_000 },
  );
  return isShown ? data : [];
}

/** The past of an endpoint: in sentences, and as changes with their values. */
export function EndpointPast({ endpoint }: { endpoint: Endpoint }) {
  const changes = useChanges(endpoint.id);
  const steps = useSteps(endpoint.id);
  const isChanges = params.value.get("past") === "changes";
  return (
    <Card label="The past">
      <div class="list-head">
        <Tabs
          label="The past"
          tabs={[
            { label: "What happened", href: withParams({ past: null }), isCurrent: !isChanges },
            { label: "Changes", href: withParams({ past: "changes" }), isCurrent: isChanges },
          ]}
        />
      </div>
      {changes === null && <Skeleton rows={3} />}
      {changes && isChanges && <ChangeList changes={changes} />}
      {changes && isChanges && changes.length === 0 && <Empty title="No changes are kept" />}
      {changes && !isChanges && (
        <Happenings all={endpointHistory(endpoint, steps ?? [], changes).slice(0, MOST_SENTENCES)} />
      )}
    </Card>
  );
}

/** The past of a delivery in sentences. */
export function DeliveryPast({ delivery }: { delivery: DeliveryDetail }) {
  const changes = useChanges(delivery.id);
  return (
    <Card title="What happened">
      <Happenings all={deliveryHistory(delivery, changes ?? [], now.value)} />
    </Card>
  );
}

function Happenings({ all }: { all: readonly Happening[] }) {
  if (all.length === 0) return <Empty title="Nothing out of the ordinary" />;
  return (
    <ol class="activity">
      {all.map(({ at, sentence }, index) => (
        <li key={`${at} ${index}`}>
          <Time at={at} />
          <p class="grow">
            <Sentences sentences={[sentence]} />
          </p>
        </li>
      ))}
    </ol>
  );
}
