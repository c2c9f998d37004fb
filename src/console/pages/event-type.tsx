import type { EventType } from "../../client/types";
import { Code, prettyJson } from "../shared/code";
import { partTexts } from "../shared/texts";
import { MOST_TYPES } from "./type-tree";

/** Says that older event types are not shown. Empty if all are. */
export function cutWords(types: readonly EventType[]): string {
  return types.length < MOST_TYPES ? "" : partTexts.value.newestTypes(MOST_TYPES);
}

/** Marks an event type that receivers should no longer use. */
export function Deprecated({ type }: { type: EventType }) {
  return type.deprecated && <span class="pill">{partTexts.value.deprecated}</span>;
}

/** An example of the payload. Empty if there is none. */
export function Example({ type: { example } }: { type: EventType }) {
  return example !== null && <Code label={partTexts.value.example} text={prettyJson(example)} isJson />;
}

/** The schema of the payload, which nobody changes here. Empty if there is none. */
export function KeptSchema({ type: { schema } }: { type: EventType }) {
  return schema !== null && <Code label={partTexts.value.schema} text={prettyJson(schema)} isJson />;
}
