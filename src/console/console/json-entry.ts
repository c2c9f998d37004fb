import { rawJson } from "../../client/raw-json";
import { WrongEntry } from "../shared/parts";

/** Takes the JSON that somebody wrote into a field. It is sent as written. */
export function readEntry(field: string, text: string): Record<string, unknown> {
  try {
    return rawJson(text);
  } catch (error) {
    throw new WrongEntry(`${field} is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}
