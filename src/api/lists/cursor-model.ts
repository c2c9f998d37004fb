import { Type } from "@sinclair/typebox";
import { nullable, ref } from "../openapi/schema";
import { LIMIT_PARAMETER } from "./page-limit";

/** The query parameters that `cursorPage` reads. */
export const CURSOR_PARAMETERS = {
  limit: LIMIT_PARAMETER,
  cursor: Type.String({ minLength: 1, description: "The `cursor` of the previous answer." }),
};

/** Builds the model of a page; `item` names the model of its items. */
export function cursorPageOf(item: string) {
  return Type.Object({
    data: Type.Array(ref(item)),
    cursor: nullable(
      Type.String({ description: "Send it as `cursor` to get the next page; null on the last page." }),
    ),
  });
}
