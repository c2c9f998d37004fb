import type { Elysia } from "elysia";
import type { Clock } from "../../runtime/clock";
import { requestIdOf } from "./request-head";
import type { RequestLog } from "./request-log";

type Answering = Readonly<{ clock: Clock; requestLog: RequestLog | null }>;
type Handle = (request: Request, ...rest: unknown[]) => unknown;

/** Puts `x-request-id` on every answer of an app, and logs its requests. */
export function identifyAnswers(app: Pick<Elysia, "wrap">, { clock, requestLog }: Answering): void {
  const finish = (request: Request, answer: unknown, began: number) => {
    if (!(answer instanceof Response)) return answer;
    answer.headers.set("x-request-id", requestIdOf(request));
    requestLog?.answered(request, answer.status, clock.monotonic() - began);
    return answer;
  };
  app.wrap((handle: Handle) => (request: Request, ...rest: unknown[]) => {
    const began = requestLog === null ? 0 : clock.monotonic();
    const answer = handle(request, ...rest);
    if (!(answer instanceof Promise)) return finish(request, answer, began);
    return answer.then((each) => finish(request, each, began));
  });
}
