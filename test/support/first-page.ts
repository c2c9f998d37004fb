import type { ReadRequest } from "../../src/dispatch/lane/page";

/** The request of a lane that has loaded nothing yet. */
export const FIRST_PAGE: ReadRequest = {
  after: 0,
  scans: true,
  orders: [],
  passed: [],
  inFlight: [],
  isCrowded: false,
};
