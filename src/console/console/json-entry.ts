import { parseJson } from "../shared/api";
import { WrongEntry } from "../shared/parts";

/** Reads the JSON that somebody wrote into a field. */
export function readEntry(field: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new WrongEntry(`${field} is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}
