/** Without this mark Excel reads UTF-8 as the encoding of its country. */
const BYTE_ORDER_MARK = "\ufeff";

/** Writes rows as CSV for a spreadsheet (RFC 4180). */
export function csvText(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + csvLines(rows);
}

/** Writes further rows of a file that has begun. */
export function csvLines(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

/** Quotes a cell, so that a spreadsheet does not run its text as a formula. */
function cellOf(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
