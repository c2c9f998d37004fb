import { KeyNoLongerWorks } from "../accounts/api-keys";
import { KeySetUnavailable } from "../accounts/authentication/key-set";
import { ExternalIdTaken } from "../accounts/external-id";
import { LimitReached } from "../accounts/limit";
import { CellsSilent, LivesElsewhere, NoNewAccounts } from "../cells/own-cell";
import { StoreUnavailable } from "../cold/store";
import { isTemporary } from "../db/database";
import { InFiles } from "../deliveries/lists/cold-reads";
import { spanFields } from "../domain/traceparent";
import { SecretHeadersNeeded } from "../endpoints/request-headers";
import { SettingsConflict } from "../endpoints/settings-conflict";
import { RulesSuspended } from "../event-types/rules-threads";
import { ClientGone } from "../intake/new-delivery";
import { messageOf } from "../runtime/errors";
import { describeError } from "../runtime/log";
import { QueueFull } from "../runtime/queues/batcher";
import { jsonHeaders } from "./answer";
import type { Call } from "./call";
import { requestIdOf } from "./edge/request-head";
import { traceOf } from "./edge/request-trace";

import {
  ApiError,
  badRequest,
  conflict,
  internalError,
  misdirected,
  rulesSuspended,
  unauthorized,
  unavailable,
} from "./errors";
import type { FailureLog } from "./failure-log";

const CONFLICTS = [LimitReached, ExternalIdTaken, NoNewAccounts, InFiles];
const UNAVAILABLE = [KeySetUnavailable, QueueFull, CellsSilent, StoreUnavailable];

/** Returns the client's error for a thrown error. Logs the details, which the client must not see. */
export function toApiError(error: unknown, request: Request, failures: FailureLog): ApiError {
  if (error instanceof ApiError) return error;
  if (CONFLICTS.some((kind) => error instanceof kind)) return conflict(messageOf(error));
  if (error instanceof LivesElsewhere) return misdirected(error.home);
  if (error instanceof SecretHeadersNeeded || error instanceof SettingsConflict)
    return badRequest(error.message);
  if (error instanceof KeyNoLongerWorks) return unauthorized(error.message);
  if (error instanceof RulesSuspended) return rulesSuspended(error.retryAfterMs);
  // Nobody gets this answer.
  if (error instanceof ClientGone) return unavailable();
  if (isTemporary(error) || UNAVAILABLE.some((kind) => error instanceof kind)) {
    failures.unavailable({ ...describeError(error), ...idsOf(request) });
    return unavailable();
  }
  const stack = error instanceof Error ? error.stack : undefined;
  failures.failed({ ...describeError(error), stack, ...idsOf(request) });
  return internalError();
}

function idsOf(request: Request) {
  return { request_id: requestIdOf(request), ...spanFields(traceOf(request)) };
}

/** Sets the status and headers of an error answer, and returns its body. */
export function answerError(
  set: { status?: number | string; headers: object },
  error: ApiError,
  call: Call | null,
): string {
  const { body, headers } = errorAnswer(error, call);
  set.status = error.status;
  Object.assign(set.headers, headers);
  return body;
}

/** Returns the body and the headers of an error answer. */
export function errorAnswer(
  error: ApiError,
  call: Call | null,
): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ error: { code: error.errorCode, message: error.message } });
  const headers = { ...jsonHeaders(error.allowance ?? call?.allowance ?? null), ...error.headers };
  return { body, headers };
}
