import { expect, test } from "bun:test";
import { cancelReason, deliveryStatus, jobKind, jobState, ordering } from "../../src/db/schema";
import { CANCEL_REASONS, DELIVERY_STATUSES } from "../../src/deliveries/delivery";
import { ORDERINGS } from "../../src/endpoints/tuning";
import { JOB_KINDS, JOB_STATES } from "../../src/jobs/job";

test.each([
  ["ordering", ordering.enumValues, ORDERINGS],
  ["status of a delivery", deliveryStatus.enumValues, DELIVERY_STATUSES],
  ["reason of a cancellation", cancelReason.enumValues, CANCEL_REASONS],
  ["kind of a job", jobKind.enumValues, JOB_KINDS],
  ["state of a job", jobState.enumValues, JOB_STATES],
])("Postgres knows the same words for the %s", (_, inPostgres, inCode) => {
  expect<readonly string[]>(inPostgres).toEqual(inCode);
});
