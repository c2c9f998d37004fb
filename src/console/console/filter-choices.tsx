import type { ComponentChildren } from "preact";
import type { EventType } from "../../client/types";
import { Choice, type Option } from "../shared/choice";
import { setParams } from "../shared/location";
import { now } from "../shared/server-clock";
import { visible } from "../shared/visible-text";
import { type Filters, TIMES, timeWords } from "./delivery-filters";

type EventChoiceProps = {
  filters: Filters;
  types: readonly EventType[];
  /** True if other event types than `types` can be typed. */
  takesText?: boolean;
};

/** Chooses an event type, or all. */
export function EventChoice({ filters: { event }, types, takesText = false }: EventChoiceProps) {
  const typed = (text: string) => ({ value: text, label: text, detail: "as typed" });
  return (
    <Choice
      name="Event type"
      value={event ?? ""}
      shown={event === null ? "All events" : visible(event)}
      options={[
        { value: "", label: "All events" },
        ...types.map(({ event_type }) => ({ value: event_type, label: event_type })),
      ]}
      free={takesText ? typed : undefined}
      onChoose={(chosen) => setParams({ event: chosen }, { replace: false })}
    />
  );
}

/** Chooses a relative time. `children` can offer a range of one's own. */
export function TimeChoice({ filters, children }: { filters: Filters; children?: ComponentChildren }) {
  return (
    <Choice
      name="Time"
      value={filters.time ?? ""}
      shown={timeWords(filters, now.value)}
      options={TIMES.map(([value, label]) => ({ value, label }))}
      onChoose={(time) => setParams({ time, after: null, before: null }, { replace: false })}
    >
      {children}
    </Choice>
  );
}

const ANY_OUTCOME: Option = { value: "", label: "any outcome" };
const OUTCOMES: readonly Option[] = [
  ANY_OUTCOME,
  { value: "pending", label: "waiting" },
  { value: "delivered", label: "delivered" },
  { value: "failed", label: "failed" },
  { value: "cancelled", label: "cancelled" },
];

/** Chooses the outcome of deliveries, or any. */
export function OutcomeChoice({ filters: { status } }: { filters: Filters }) {
  const { label } = OUTCOMES.find(({ value }) => value === status) ?? ANY_OUTCOME;
  return (
    <Choice
      name="Outcome"
      value={status ?? ""}
      shown={label}
      options={OUTCOMES}
      onChoose={(chosen) => setParams({ status: chosen }, { replace: false })}
    />
  );
}
