import type { ReadRequest } from "../../src/dispatch/lane/page";

/** What a lane asks for that knows nothing. */
export const FIRST_PAGE: ReadRequest = {
  after: 0,
  scans: true,
  orders: [],
  passed: [],
  inFlight: [],
  isCrowded: false,
};
