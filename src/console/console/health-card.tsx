import type { Endpoint } from "../../client/types";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { count, moment } from "../shared/format";
import { Card } from "../shared/parts";
import { useResource } from "../shared/resource";
import { plainText } from "../shared/sentence";
import { Sentences } from "../shared/sentence-view";
import { now, serverNow } from "../shared/server-clock";
import { catchUpSentence, pauseSentences } from "./outlook-sentences";
import { can, session } from "./session";
import { type HalfHour, stepsOf, stripSentence } from "./strip-sentences";

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const STEPS = 48;

/** The attempts of an endpoint in the half-hours of the last day; null until they are read. */
export function useSteps(id: string): readonly HalfHour[] | null {
  const { data } = useResource(
    can("stats:read") ? keyed("steps", id) : null,
    () => readSeries(id, (STEPS - 1) * HALF_HOUR_MS, "30m"),
    { every: MINUTE_MS },
  );
  return data && stepsOf(data.points);
}

function readSeries(id: string, spanMs: number, step: string) {
  const query = { from: new Date(serverNow() - spanMs).toISOString(), step };
  return call("get", "/v1/endpoints/{id}/stats/series", { path: { id }, query });
}

/** The attempts of the last day as a strip, and the outlook: when it catches up, or is switched off. */
export function HealthCard({ endpoint }: { endpoint: Endpoint }) {
  const steps = useSteps(endpoint.id);
  const catchUp = useCatchUp(endpoint);
  if (steps === null) return null;
  const summary = stripSentence(steps);
  const off = pauseSentences(
    endpoint,
    session.value?.disable_after_ms ?? Number.POSITIVE_INFINITY,
    now.value,
  );
  return (
    <Card title="Health" meta="Last 24 hours, half an hour each">
      <div class="pad health">
        <div class="strip" role="img" aria-label={plainText([summary], now.value)}>
          {steps.map((step) => (
            <i key={step.at} class={step.state} title={stepWords(step)} />
          ))}
        </div>
        <p class="dim">
          <Sentences sentences={[summary, ...(catchUp ? [catchUp] : []), ...off]} />
        </p>
      </div>
    </Card>
  );
}

function stepWords({ at, made, failed }: HalfHour): string {
  const from = moment(Date.parse(at), now.value, { seconds: false });
  return made === 0 ? `${from}: no attempts` : `${from}: ${count(failed)} of ${count(made)} attempts failed`;
}

/** Says when a healthy endpoint will be through with what waits, by the pace of the last hour. */
function useCatchUp({ id, health }: Endpoint) {
  const isSending = health.state === "healthy" && health.pending > 0;
  const { data } = useResource(
    isSending && can("stats:read") ? keyed("pace", id) : null,
    async () => ({ ...(await readSeries(id, 60 * MINUTE_MS, "1m")), readAt: serverNow() }),
    { every: 15_000 },
  );
  return isSending && data ? catchUpSentence(data.points, MINUTE_MS, data.readAt) : null;
}
