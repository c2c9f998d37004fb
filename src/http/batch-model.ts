import { type TSchema, Type } from "@sinclair/typebox";
import { BATCH_MAX_ITEMS } from "./batch";
import { ref } from "./openapi/schema";

/** Said of every batch. */
export const BATCH_EFFORT =
  "What matching payloads against schemas may take is bounded for all items together: where it is not enough, an item " +
  "is a 400 that says so and may be sent in another batch. A thousand ordinary ones use less than a tenth of it.";

/** A request that holds many, in the field `name`. */
export function batchOf(name: string, item: TSchema) {
  return Type.Object({ [name]: Type.Array(item, { minItems: 1, maxItems: BATCH_MAX_ITEMS }) });
}

/** What came of each item of a batch: `name` tells what was accepted. */
export function batchResults(name: string, accepted: TSchema) {
  const result = Type.Object({
    status: Type.Integer({ description: "The status that the item would have got by itself." }),
    [name]: Type.Optional(accepted),
    error: Type.Optional(ref("ErrorDetail")),
  });
  return Type.Object({ results: Type.Array(result, { description: "In the order of the items." }) });
}
