import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "../../api/lists/instant";
import { named, ref, timestamp } from "../../api/openapi/schema";
import { timeOf, toText } from "../../domain/ids";
import type { TriedSchema } from "../../event-types/event-type";
import { MAX_SAMPLE } from "../../event-types/sample";

export const SchemaRefusal = named(
  "SchemaRefusal",
  Type.Object({
    id: Type.String({ description: "The event, `evt_…`, or the webhook, `wh_…`." }),
    created_at: timestamp(),
    problem: Type.String({ description: "The mismatch of the payload with the schema." }),
  }),
);

export const UNCHECKED = "The parts of the schema that are not checked, such as unknown formats.";

export const SchemaCheck = named(
  "SchemaCheck",
  Type.Object({
    examined: Type.Integer({
      description: `At most ${MAX_SAMPLE}, fewer if they are large or expensive to validate.`,
    }),
    refused: Type.Integer(),
    warnings: Type.Array(Type.String(), { description: UNCHECKED }),
    data: Type.Array(ref("SchemaRefusal"), {
      description: "The payloads that the schema would have refused, newest first.",
    }),
  }),
);

export function viewOfCheck({ judged, warnings }: Omit<TriedSchema, "schema">): Static<typeof SchemaCheck> {
  const data = judged.flatMap(({ payload, problem }) =>
    problem === null
      ? []
      : [
          {
            id: payload.kind === "evt" ? toText("evt", payload.id) : toText("wh", payload.id),
            created_at: formatInstant(timeOf(payload.id)),
            problem,
          },
        ],
  );
  return { examined: judged.length, refused: data.length, warnings: [...warnings], data };
}

/** Returns warnings about the parts of a schema that are not checked, and the accepted payloads that it would have refused. */
export function warningsOf(tried: Omit<TriedSchema, "schema">): string[] {
  const { examined, refused, warnings } = viewOfCheck(tried);
  if (refused === 0) return warnings;
  return [
    ...warnings,
    `This schema would have refused ${refused} of the newest ${examined} payloads that were accepted in the last day; ` +
      "POST /event-types/{name}/schema/check lists them",
  ];
}

export const CHECK_EXAMPLE = {
  examined: 100,
  refused: 1,
  warnings: [],
  data: [
    {
      id: "evt_01k9x3w7r2e5bt8m1n4p6r8s00",
      created_at: "2026-01-31T12:00:00.000Z",
      problem: "data must have required property 'order_id'",
    },
  ],
} satisfies Static<typeof SchemaCheck>;
