import type { Endpoint } from "../../client/types";
import type { Row } from "../pages/delivery-list";
import { saveCsv } from "../shared/csv-file";
import { nameOf } from "../shared/endpoint-name";

const COLUMNS = ["id", "status", "event", "endpoint", "url", "answer", "attempts", "accepted"] as const;

/** Saves the shown rows as a file for a spreadsheet. */
export function exportCsv(rows: readonly Row[], endpoints: ReadonlyMap<string, Endpoint>): void {
  const lines = rows.map((row) => {
    const endpoint = endpoints.get(row.endpoint_id);
    return [
      row.id,
      row.status,
      row.event ?? "",
      endpoint ? nameOf(endpoint) : row.endpoint_id,
      endpoint?.url ?? "",
      String(row.response_status ?? ""),
      String(row.attempt_count),
      row.created_at,
    ];
  });
  saveCsv("deliveries.csv", [COLUMNS, ...lines]);
}
