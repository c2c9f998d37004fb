import { csvText } from "../../runtime/text/csv";

/** Saves rows as a file for a spreadsheet. The first row has the columns' names. */
export function saveCsv(name: string, rows: readonly (readonly string[])[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csvText(rows)], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
