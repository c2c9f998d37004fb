import { randomBytes } from "node:crypto";
import { madeOnce } from "../runtime/made-once";

/** The secret kept in `file`, made at the first call. It holds letters and digits only, so it needs no escaping in a URL. */
export function secretIn(file: string): Promise<string> {
  // A letter first: some clients take the first ":<digits>" of a URL for its port.
  return madeOnce(file, `s${randomBytes(24).toString("hex")}`);
}
