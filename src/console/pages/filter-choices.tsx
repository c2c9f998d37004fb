import type { ComponentChildren } from "preact";
import type { EventType } from "../../client/types";
import { Choice } from "../shared/choice";
import { setParams } from "../shared/location";
import { now } from "../shared/server-clock";
import { partTexts } from "../shared/texts";
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
  const t = partTexts.value;
  const typed = (text: string) => ({ value: text, label: text, detail: t.asTyped });
  return (
    <Choice
      name={t.eventType}
      value={event ?? ""}
      shown={event === null ? t.allTypes : visible(event)}
      options={[
        { value: "", label: t.allTypes },
        ...types.map(({ event_type }) => ({ value: event_type, label: event_type })),
      ]}
      free={takesText ? typed : undefined}
      onChoose={(chosen) => setParams({ event: chosen }, { replace: false })}
    />
  );
}

/** Chooses a relative time. `children` can offer a range of one's own. */
export function TimeChoice({ filters, children }: { filters: Filters; children?: ComponentChildren }) {
  const t = partTexts.value;
  const options = TIMES.map((each) => ({ value: each === "any" ? "" : each, label: t.times[each] }));
  return (
    <Choice
      name={t.time}
      value={filters.time ?? ""}
      shown={timeWords(filters, now.value)}
      options={options}
      onChoose={(time) => setParams({ time, after: null, before: null }, { replace: false })}
    >
      {children}
    </Choice>
  );
}

const OUTCOMES = ["any", "pending", "delivered", "failed", "cancelled"] as const;

/** Chooses the outcome of deliveries, or any. */
export function OutcomeChoice({ filters: { status } }: { filters: Filters }) {
  const t = partTexts.value;
  return (
    <Choice
      name={t.outcome}
      value={status ?? ""}
      shown={t.outcomes[OUTCOMES.find((each) => each === status) ?? "any"]}
      options={OUTCOMES.map((each) => ({ value: each === "any" ? "" : each, label: t.outcomes[each] }))}
      onChoose={(chosen) => setParams({ status: chosen }, { replace: false })}
    />
  );
}
