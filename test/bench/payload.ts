/** Payloads of about 500 bytes, with a place for the time they were sent. */
const MARK = '"sent_at":"';
const TIME_LENGTH = 17;

const ORDER = {
  order: "ord_7f3c9a51",
  customer: { id: "cus_20418", name: "Ada Example", email: "ada@example.com", locale: "en-GB" },
  items: [
    { sku: "SKU-0001", title: "Notebook, ruled", quantity: 2, unit_price: 4.5 },
    { sku: "SKU-0002", title: 'Pen, "fine"', quantity: 1, unit_price: 12.95 },
    { sku: "SKU-0003", title: "Desk lamp", quantity: 1, unit_price: 39 },
  ],
  shipping: { method: "express", country: "GB" },
  total: 60.95,
  currency: "GBP",
};

/** A payload's JSON text. */
export const PAYLOAD = `{${MARK}${"0".repeat(TIME_LENGTH)}",${JSON.stringify(ORDER).slice(1)}`;

/** Where a request's bytes have the time; -1 when they have none. */
export function timeOffset(request: Buffer): number {
  const mark = request.indexOf(MARK);
  return mark < 0 ? -1 : mark + MARK.length;
}

/** Writes the time into a request. */
export function stamp(request: Buffer, offset: number, now: number): void {
  request.write(now.toFixed(3).padStart(TIME_LENGTH, "0"), offset, TIME_LENGTH, "latin1");
}

/** The time in a payload, or not a number. */
export function timeIn(payload: string): number {
  const start = payload.indexOf(MARK) + MARK.length;
  return Number(payload.slice(start, start + TIME_LENGTH));
}
