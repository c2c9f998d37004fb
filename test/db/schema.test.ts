import { expect, test } from "bun:test";
import { deliveryStatus, endReason, jobKind, jobState, ordering } from "../../src/db/schema";
import { DELIVERY_STATUSES, END_REASONS } from "../../src/domain/delivery-status";
import { ORDERINGS } from "../../src/domain/tuning";
import { JOB_KINDS, JOB_STATES } from "../../src/jobs/job";

test.each([
  ["ordering", ordering.enumValues, ORDERINGS],
  ["status of a delivery", deliveryStatus.enumValues, DELIVERY_STATUSES],
  ["reason of an end", endReason.enumValues, END_REASONS],
  ["kind of a job", jobKind.enumValues, JOB_KINDS],
  ["state of a job", jobState.enumValues, JOB_STATES],
])("Postgres knows the same words for the %s", (_, inPostgres, inCode) => {
  expect<readonly string[]>(inPostgres).toEqual(inCode);
});
