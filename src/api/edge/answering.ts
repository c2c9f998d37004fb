import type { Elysia } from "elysia";
import type { Clock } from "../../runtime/clock";
import type { OpenSpan, Tracing } from "../../tracing/tracing";
import { requestIdOf } from "./request-head";
import type { RequestLog } from "./request-log";
import { beginTrace, endTrace } from "./request-trace";

type Answering = Readonly<{ clock: Clock; requestLog: RequestLog | null; tracing: Tracing | null }>;
export type Handle = (request: Request, ...rest: unknown[]) => unknown;

/** Puts `x-request-id` on every answer of an app, and logs and traces its requests. */
export function identifyAnswers(app: Pick<Elysia, "wrap">, { clock, requestLog, tracing }: Answering): void {
  const finish = (request: Request, answer: unknown, began: number, span: OpenSpan | null) => {
    if (!(answer instanceof Response)) return answer;
    const id = requestIdOf(request);
    answer.headers.set("x-request-id", id);
    requestLog?.answered(request, answer.status, clock.monotonic() - began);
    if (span) endTrace(span, answer.status, id);
    return answer;
  };
  app.wrap((handle: Handle) => (request: Request, ...rest: unknown[]) => {
    const began = requestLog === null ? 0 : clock.monotonic();
    const span = tracing && beginTrace(tracing, request);
    const answer = handle(request, ...rest);
    if (!(answer instanceof Promise)) return finish(request, answer, began, span);
    return answer.then((each) => finish(request, each, began, span));
  });
}
