import type { AccountId } from "../../domain/ids";
import { toText } from "../../domain/ids";
import { spanFields } from "../../domain/traceparent";
import type { Log } from "../../runtime/log";
import { requestIdOf } from "./request-head";
import { traceOf } from "./request-trace";

/** Requests with this status or a higher one are always logged. */
const FAILED = 500;

export type RequestLogOptions = Readonly<{
  log: Log;
  /** The share of requests to log, from 0 to 1. */
  share: number;
  /** Returns a number in [0, 1). */
  random(): number;
}>;

/** Writes a log line for each request, or for a share of them, without its query, headers and body. */
export class RequestLog {
  private readonly accounts = new WeakMap<Request, AccountId>();

  constructor(private readonly options: RequestLogOptions) {}

  /** Notes the account that a request acts for. */
  admitted(request: Request, accountId: AccountId): void {
    this.accounts.set(request, accountId);
  }

  answered(request: Request, status: number, durationMs: number): void {
    const { log, share, random } = this.options;
    if (status < FAILED && random() >= share) return;
    const accountId = this.accounts.get(request);
    const line = {
      request_id: requestIdOf(request),
      method: request.method,
      path: URL.parse(request.url)?.pathname,
      status,
      duration_ms: Math.round(durationMs * 10) / 10,
      ...(accountId !== undefined && { account_id: toText("acc", accountId) }),
      ...spanFields(traceOf(request)),
    };
    log.info(line, "answered a request");
  }
}
