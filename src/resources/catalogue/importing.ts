import type { AccountId } from "../../domain/ids";
import type { JsonSchema } from "../../domain/json-schema";
import type { ReadEntry } from "../../event-types/catalogue/entry";
import { descriptionProblem } from "../../event-types/description";
import type { EventTypes } from "../../event-types/event-type";
import type { NewEventType } from "../../event-types/new-event-types";
import type { CheckedSchema } from "../../event-types/schema/payload-schema";
import type { Clock } from "../../runtime/clock";
import { warningsOf } from "../event-types/schema-check";
import type { ImportedTypeView } from "./catalogue";

/** Time for the schemas of a document, which the thread for schemas compiles one by one. */
export const SCHEMAS_MS = 10_000;
/** Most characters of kept payloads on which the schemas of a document are tried. */
export const MAX_TRIED_CHARACTERS = 4_194_304;
/** Most characters of the warnings about parts of schemas that are not checked. */
export const MAX_WARNED_CHARACTERS = 131_072;
/** Most characters of a problem, which may repeat parts of a schema. */
const PROBLEM_LENGTH = 300;

type ImportOptions = Readonly<{
  eventTypes: Pick<EventTypes, "checkSchema" | "known" | "putAll" | "tryOnKept">;
  clock: Pick<Clock, "now">;
}>;

type AcceptedEventType = Readonly<{ name: string; type: NewEventType; warnings: readonly string[] }>;
type CheckedEventType = AcceptedEventType | Readonly<{ name: string; problem: string }>;

/** Imports the event types of one document: checks each, tries the schemas on kept payloads, and stores all at once. */
export class Importing {
  /** The schemas of the document so far, by their text: event types may share one. */
  private readonly schemas = new Map<string, CheckedSchema>();
  private warnedCharacters = 0;
  private readonly end: number;

  constructor(
    private readonly options: ImportOptions,
    private readonly accountId: AccountId,
  ) {
    this.end = options.clock.now() + SCHEMAS_MS;
  }

  async import(entries: Iterable<ReadEntry>): Promise<ImportedTypeView[]> {
    const checked: CheckedEventType[] = [];
    for (const read of entries) {
      checked.push(await this.check(read));
      // Lets other requests run between two event types.
      await new Promise(setImmediate);
    }
    const accepted = checked.filter((each) => "type" in each);
    const warnings = await this.warningsFor(accepted);
    const types = accepted.map(({ type }) => type);
    const problems = (await this.options.eventTypes.putAll(this.accountId, types)).values();
    return checked.map((each) => {
      const problem = "type" in each ? problems.next().value : each.problem;
      if (typeof problem === "string") return refused(each.name, problem);
      return { event_type: each.name, outcome: "imported", warnings: warnings.get(each.name) ?? [] };
    });
  }

  private async check(read: ReadEntry): Promise<CheckedEventType> {
    if ("problem" in read) return read;
    const { example, schema, ...rest } = read.entry;
    const type = { ...rest, ...(example !== undefined && { example: JSON.stringify(example) }) };
    const { name } = read;
    const problem = descriptionProblem(type);
    if (problem !== null) return { name, problem };
    if (schema === undefined) return { name, type, warnings: [] };
    const text = JSON.stringify(schema);
    const checked = await this.schema(text, schema);
    if ("problem" in checked) return { name, problem: `its schema ${checked.problem}` };
    return { name, type: { ...type, schema: text }, warnings: this.shown(checked.warnings) };
  }

  private async schema(text: string, schema: JsonSchema): Promise<CheckedSchema> {
    const known = this.schemas.get(text);
    if (known !== undefined) return known;
    if (this.options.clock.now() > this.end) return NOT_CHECKED;
    const checked = await this.options.eventTypes.checkSchema(this.accountId, schema);
    this.schemas.set(text, checked);
    return checked;
  }

  /** Bounds the warnings of the answer, which event types that share a schema repeat. */
  private shown(warnings: readonly string[]): readonly string[] {
    this.warnedCharacters += warnings.reduce((sum, { length }) => sum + length, 0);
    return this.warnedCharacters <= MAX_WARNED_CHARACTERS ? warnings : [NOT_SHOWN];
  }

  /** Tries the schemas on kept payloads, which only event types that are known have. */
  private async warningsFor(accepted: readonly AcceptedEventType[]): Promise<ReadonlyMap<string, string[]>> {
    const { eventTypes, clock } = this.options;
    const names = accepted.flatMap(({ name, type }) => (type.schema === undefined ? [] : [name]));
    const known = await eventTypes.known(this.accountId, names);
    const all = new Map<string, string[]>();
    let characters = 0;
    for (const { name, type, warnings } of accepted) {
      const isTooMuch = characters > MAX_TRIED_CHARACTERS || clock.now() > this.end;
      if (type.schema === undefined || !known.has(name)) all.set(name, [...warnings]);
      else if (isTooMuch) all.set(name, [...warnings, NOT_TRIED]);
      else {
        const judged = await eventTypes.tryOnKept(this.accountId, name, type.schema, clock.now());
        characters += judged.reduce((sum, { payload }) => sum + payload.data.length, 0);
        all.set(name, warningsOf({ warnings, judged }));
      }
    }
    return all;
  }
}

const NOT_CHECKED = {
  problem: `was not checked, because those before it took ${SCHEMAS_MS / 1_000} s; import it in another document`,
};
const NOT_SHOWN =
  "Parts of this schema are not checked; POST /event-types/{name}/schema/check names them, because the document has too many to list";
const NOT_TRIED =
  "This schema was not tried on the payloads of the last day, because the document's other schemas took too long or had too many; " +
  "POST /event-types/{name}/schema/check tries it";

function refused(name: string, problem: string): ImportedTypeView {
  const shown = problem.length > PROBLEM_LENGTH ? `${problem.slice(0, PROBLEM_LENGTH)}…` : problem;
  return { event_type: name, outcome: "refused", problem: shown.toWellFormed(), warnings: [] };
}
