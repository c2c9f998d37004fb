import type { ComponentChildren } from "preact";
import type { Endpoint } from "../../client/types";
import { can } from "../shared/access";
import { nameOf } from "../shared/endpoint-name";
import { Icon } from "../shared/icon";
import { Lead } from "../shared/lead";
import { Id, Pill, Time } from "../shared/parts";
import { now } from "../shared/server-clock";
import { partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";
import { readingSentence } from "./reading-sentence";
import { lookOfHealth } from "./states";

type EndpointLeadProps = {
  endpoint: Endpoint;
  /** True if the page shows several. Sentences under each then have the time. */
  isPart?: boolean;
  /** The actions. */
  children: ComponentChildren;
};

/** An endpoint's name, health and address, and the number up to which it has every delivery. */
export function EndpointLead({ endpoint, isPart = false, children }: EndpointLeadProps) {
  const { id, url, external_id, health } = endpoint;
  const under = (
    <>
      {url !== null && <Id id={url} />}
      {can("operate") && <Id id={id} />}
      {can("operate") && external_id && <Id id={external_id} />}
      <CompleteUpTo number={health.complete_up_to} />
    </>
  );
  const state = <HealthPill health={health} hasTime={!isPart} />;
  return (
    <Lead
      title={visible(nameOf(endpoint))}
      state={state}
      intro={readingSentence(endpoint, now.value)}
      under={under}
      isPart={isPart}
    >
      {children}
    </Lead>
  );
}

function HealthPill({ health: { state, since }, hasTime }: Pick<Endpoint, "health"> & { hasTime: boolean }) {
  const look = lookOfHealth(state);
  return (
    <Pill look={look}>
      {look.word}
      {hasTime && since && (
        <>
          {` ${partTexts.value.since} `}
          <Time at={since} seconds={false} />
        </>
      )}
    </Pill>
  );
}

function CompleteUpTo({ number }: { number: number }) {
  const t = partTexts.value;
  if (number === 0) return null;
  return (
    <span class="state calm" title={t.completeHint}>
      <Icon name="tick" small />
      {t.completeUpTo(number)}
    </span>
  );
}

/** The event types that an endpoint gets, as patterns in words. */
export function eventsOf({ event_types: types }: Pick<Endpoint, "event_types">): readonly string[] {
  return types.includes("*") ? [partTexts.value.allEvents] : types;
}
