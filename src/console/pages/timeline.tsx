import type { Attempt, DeliveryDetail, Endpoint } from "../../client/types";
import { errorWords, isGood, reasonOf } from "../shared/answer";
import { duration } from "../shared/format";
import { params, withParams } from "../shared/location";
import { Card, Countdown, Time } from "../shared/parts";
import { partTexts } from "../shared/texts";

/** A delivery and its endpoint; null until the endpoint is loaded, and if it is deleted. */
export type Both = Readonly<{ delivery: DeliveryDetail; endpoint: Endpoint | null }>;

/** Returns the attempt in the URL, or the last one. */
export function chosenAttempt({ attempts }: DeliveryDetail): Attempt | null {
  const wanted = Number(params.value.get("attempt"));
  return attempts.find(({ attempt }) => attempt === wanted) ?? attempts.at(-1) ?? null;
}

/** Shows the attempts of a delivery with the waits between them. Each leads to its request and answer. */
export function Timeline({ delivery, endpoint, meta }: Both & { meta?: string }) {
  const t = partTexts.value;
  const { attempts } = delivery;
  const longest = Math.max(1, ...attempts.map(({ duration_ms }) => duration_ms));
  return (
    <Card title={t.attempts} meta={meta}>
      {attempts.length === 0 && (
        <p class="pad dim">{delivery.status === "pending" ? t.notAttempted : t.neverAttempted}</p>
      )}
      <ol class="timeline">
        {attempts.map((attempt, index) => (
          <Step
            key={attempt.attempt}
            attempt={attempt}
            before={attempts[index - 1]}
            isChosen={attempt === chosenAttempt(delivery)}
            longest={longest}
          />
        ))}
        <Upcoming delivery={delivery} schedule={endpoint?.retry_schedule_ms ?? null} />
      </ol>
    </Card>
  );
}

type StepProps = { attempt: Attempt; before: Attempt | undefined; isChosen: boolean; longest: number };

function Step({ attempt, before, isChosen, longest }: StepProps) {
  const t = partTexts.value;
  const waited = before && Date.parse(attempt.timestamp) - Date.parse(before.timestamp) - before.duration_ms;
  const isAnswered = attempt.status !== 0;
  const failure = attempt.error === null ? t.noAnswer : errorWords(attempt.error);
  return (
    <>
      {waited !== undefined && waited > 0 && <li class="wait">{t.waited(duration(waited))}</li>}
      <li class={isGood(attempt) ? "step good" : "step"}>
        <span class="mark num" aria-hidden="true">
          {attempt.attempt}
        </span>
        <a
          href={withParams({ attempt: String(attempt.attempt) })}
          class="step-link"
          aria-current={isChosen ? "true" : undefined}
        >
          <span class="sr">{t.attemptNumber(attempt.attempt)}: </span>
          <b class="mono">{isAnswered ? attempt.status : t.unanswered}</b>
          <span class="trunc grow">{isAnswered ? reasonOf(attempt.status) : failure}</span>
          <span class="took" aria-hidden="true">
            <i style={{ width: `${Math.max(3, (attempt.duration_ms / longest) * 100)}%` }} />
          </span>
          <span class="num">{duration(attempt.duration_ms)}</span>
          <Time at={attempt.timestamp} />
        </a>
      </li>
    </>
  );
}

function Upcoming({ delivery, schedule }: { delivery: DeliveryDetail; schedule: readonly number[] | null }) {
  const t = partTexts.value;
  const { waiting_for: waiting, attempts, attempt_count: made } = delivery;
  if (waiting?.reason !== "retry" || !waiting.until || attempts.length === 0) return null;
  const left = schedule?.slice(made) ?? [];
  return (
    <li class="step soon">
      <span class="mark num" aria-hidden="true">
        {made + 1}
      </span>
      <span class="step-link">
        <span>
          {t.nextAttempt}{" "}
          <b>
            <Countdown until={waiting.until} ring={false} />
          </b>
        </span>
        <span class="grow dim">
          <Time at={waiting.until} />
        </span>
        {left.length > 0 && <span class="faint trunc">{t.thenAfter(left.map(duration).join(", "))}</span>}
      </span>
    </li>
  );
}
