import { count, plural } from "../shared/format";
import { at, type Sentence } from "../shared/sentence";

/** The attempts of a step of a series. */
export type AttemptsIn = Readonly<{
  at: string;
  attempts: Readonly<Record<"none" | "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "other", number>>;
}>;

/** How the attempts of a step ended: `quiet` without attempts. */
export type HalfHourState = "quiet" | "good" | "some" | "bad";

export type HalfHour = Readonly<{ at: string; made: number; failed: number; state: HalfHourState }>;

export function stepsOf(points: readonly AttemptsIn[]): readonly HalfHour[] {
  return points.map(({ at, attempts }) => {
    const made = Object.values(attempts).reduce((sum, each) => sum + each, 0);
    const failed = made - attempts["2xx"];
    return { at, made, failed, state: stateOf(made, failed) };
  });
}

function stateOf(made: number, failed: number): HalfHourState {
  if (made === 0) return "quiet";
  if (failed === 0) return "good";
  return failed === made ? "bad" : "some";
}

/** Says how often attempts failed in the steps, which are half-hours. */
export function stripSentence(steps: readonly HalfHour[]): Sentence {
  const of = (state: HalfHourState) => steps.filter((each) => each.state === state);
  const used = steps.length - of("quiet").length;
  const troubled = steps.filter(({ failed }) => failed > 0);
  const last = troubled.at(-1);
  if (used === 0) return ["No attempts in the last 24 hours."];
  if (last === undefined) return ["No attempt has failed in the last 24 hours."];
  const failed = troubled.reduce((sum, each) => sum + each.failed, 0);
  const made = steps.reduce((sum, each) => sum + each.made, 0);
  const which = `${count(failed)} of ${plural(made, "attempt", "attempts")} of the last 24 hours failed, `;
  const when = `in ${count(troubled.length)} of ${plural(used, "half-hour", "half-hours")} with attempts`;
  return [which, when, ", most recently in the one from ", at(last.at), "."];
}

/** A time in which attempts failed: all of them, or some. */
type Trouble = { from: number; to: number; made: number; failed: number; state: "some" | "bad" };

/** A fact of the past. */
export type Happening = Readonly<{ at: string; sentence: Sentence }>;

/** Says in which times attempts failed, oldest first. Steps without attempts interrupt no trouble. */
export function troublesOf(steps: readonly HalfHour[]): readonly Happening[] {
  const troubles: Trouble[] = [];
  for (const [index, { state, made, failed }] of steps.entries()) {
    if (state === "quiet") continue;
    const running = troubles.at(-1);
    const isContinued = running?.state === state && lastUsed(steps, index) === running.to;
    if (running && isContinued) Object.assign(running, grown(running, index, made, failed));
    else if (state !== "good") troubles.push({ from: index, to: index, made, failed, state });
  }
  return troubles.map((each) => ({ at: steps[each.from]?.at ?? "", sentence: troubleSentence(each, steps) }));
}

function grown(trouble: Trouble, to: number, made: number, failed: number): Partial<Trouble> {
  return { to, made: trouble.made + made, failed: trouble.failed + failed };
}

/** The last step with attempts before one. */
function lastUsed(steps: readonly HalfHour[], before: number): number {
  return steps.slice(0, before).findLastIndex(({ state }) => state !== "quiet");
}

function troubleSentence({ to, made, failed, state }: Trouble, steps: readonly HalfHour[]): Sentence {
  const end = steps[to + 1]?.at;
  const until: Sentence = end === undefined ? ["Until now "] : ["Until ", at(end), " "];
  if (state === "some") return [...until, `${count(failed)} of ${count(made)} attempts failed.`];
  return [...until, made === 1 ? "the only attempt failed." : `all ${count(made)} attempts failed.`];
}
