import { type TSchema, Type } from "@sinclair/typebox";
import { BATCH_MAX_ITEMS } from "./batch";
import { named, ref, request } from "./openapi/schema";

/** Describes the validation budget of a batch. */
export const BATCH_EFFORT =
  "All items of a batch share one budget of time for validating payloads against schemas. An item that exceeds it gets a 400; " +
  "send it in another batch. A thousand ordinary items use less than a tenth of the budget.";

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
      status: Type.Integer({
        description: "The HTTP status that the item would have got in a request of its own.",
      }),
      [field]: Type.Optional(accepted),
      error: Type.Optional(ref("ErrorDetail")),
    }),
  );
  const results = Type.Array(result, { description: "In the order of the items." });
  return named(`${name}s`, Type.Object({ results }));
}
