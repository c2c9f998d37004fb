import { type TSchema, Type } from "@sinclair/typebox";
import { BATCH_MAX_ITEMS } from "./batch";
import { named, ref, request } from "./openapi/schema";

/** Describes the validation budget of a batch. */
export const BATCH_EFFORT =
  "What matching payloads against schemas may take is bounded for all items together: where it is not enough, an item " +
  "is a 400 that says so and may be sent in another batch. A thousand ordinary ones use less than a tenth of it.";

/** Builds the model of a batch request, with the items in the field `field`. */
export function batchOf(name: string, field: string, item: TSchema) {
  return request(
    name,
    Type.Object({ [field]: Type.Array(item, { minItems: 1, maxItems: BATCH_MAX_ITEMS }) }),
  );
}

/** Builds the model of a batch's results. The field `field` of each holds the accepted item. */
export function batchResults(name: string, field: string, accepted: TSchema) {
  const result = named(
    name,
    Type.Object({
      status: Type.Integer({ description: "The status that the item would have got by itself." }),
      [field]: Type.Optional(accepted),
      error: Type.Optional(ref("ErrorDetail")),
    }),
  );
  const results = Type.Array(result, { description: "In the order of the items." });
  return named(`${name}s`, Type.Object({ results }));
}
