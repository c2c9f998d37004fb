import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { DeliveryDetail } from "../../client/types";
import { can, keyed, linkToPage } from "../shared/access";
import { call } from "../shared/api";
import { nameOf } from "../shared/endpoint-name";
import { Lead } from "../shared/lead";
import { go, params } from "../shared/location";
import { Id } from "../shared/parts";
import { useResource } from "../shared/resource";
import { partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";
import { ActionButton, ResumeEndpoint } from "./actions";
import { useEndpoint } from "./endpoint-data";
import { eventName } from "./event-name";
import type { Both } from "./timeline";

/** Interval between reads of a delivery that has not ended. */
const OPEN_EVERY_MS = 2_000;

/** Reads a delivery until it has ended, and its endpoint. */
export function useDelivery(id: string) {
  const [isOver, setOver] = useState(false);
  const resource = useResource(
    keyed("delivery", id),
    async () => {
      const found = await call("get", "/v1/webhooks/{id}", { path: { id } });
      setOver(found.status !== "pending");
      return found;
    },
    isOver ? {} : { every: OPEN_EVERY_MS },
  );
  return { ...resource, endpoint: useEndpoint(resource.data?.endpoint_id ?? null).data };
}

/** Returns the URL of a delivery, or of the list. It keeps the filters of the list. */
export function linkToDelivery(id: string | null): string {
  const query = Object.fromEntries([...params.value].filter(([name]) => !["attempt", "tab"].includes(name)));
  return linkToPage(id === null ? "/deliveries" : `/deliveries/${id}`, query);
}

type DeliveryHeadProps = Both & {
  /** The way back to the list, if the list is on the same page. */
  back?: ComponentChildren;
  state: ComponentChildren;
  /** The actions. */
  children: ComponentChildren;
};

/** The event type of a delivery, its state, and its place at the endpoint. */
export function DeliveryHead({ delivery, endpoint, back, state, children }: DeliveryHeadProps) {
  const { id, event, sequence } = delivery;
  const under = (
    <>
      <Id id={id} />
      {endpoint && (
        <span class="dim">
          {partTexts.value.placeAt(sequence)} <EndpointName endpoint={endpoint} />
        </span>
      )}
    </>
  );
  return (
    <Lead title={eventName(event)} before={back} state={state} under={under} isPart={back !== undefined}>
      {children}
    </Lead>
  );
}

/** The name of an endpoint, which leads to its page if there is one. */
function EndpointName({ endpoint }: { endpoint: NonNullable<Both["endpoint"]> }) {
  const name = visible(nameOf(endpoint));
  if (!can("operate")) return <>{name}</>;
  return (
    <a class="link" href={linkToPage(`/endpoints/${endpoint.id}`)}>
      {name}
    </a>
  );
}

/** Attempts the delivery now, or the delivery in front for which it waits, or resumes its endpoint. Hidden where none helps. */
export function RetryDelivery({ delivery }: { delivery: DeliveryDetail }) {
  const t = partTexts.value;
  const { id, endpoint_id, waiting_for: waiting } = delivery;
  if (!can("retry") || waiting === undefined) return null;
  if (waiting.reason === "pause") return <ResumeEndpoint endpoint={{ id: endpoint_id }} />;
  const front = waiting.reason === "turn" ? waiting.in_front : undefined;
  const canHelp = front ? front.next_attempt_at !== null : waiting.reason === "retry";
  if (!canHelp) return null;
  const retry = async () => {
    await call("post", "/v1/webhooks/{id}/retry", { path: { id: front?.id ?? id } });
    return t.retried(1);
  };
  return <ActionButton icon="retry" label={front ? t.retryNumber(front.sequence) : t.retry} act={retry} />;
}

/** Sends a delivery that has ended again, and opens the new one. */
export function ResendDelivery({ delivery }: { delivery: DeliveryDetail }) {
  const t = partTexts.value;
  if (!can("retry") || delivery.status === "pending" || delivery.erased_at) return null;
  const resend = async () => {
    const { id } = await call("post", "/v1/webhooks/{id}/resend", { path: { id: delivery.id } });
    go(linkToDelivery(id));
    return t.resent;
  };
  return <ActionButton icon="retry" label={t.resend} act={resend} />;
}
