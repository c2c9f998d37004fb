import type { AccountId } from "../../domain/ids";
import type { JsonSchema } from "../../domain/json-schema";
import type { ReadEntry } from "../../event-types/catalogue/entry";
import { descriptionProblem } from "../../event-types/description";
import type { EventTypes } from "../../event-types/event-type";
import type { NewEventType } from "../../event-types/new-event-types";
import type { Clock } from "../../runtime/clock";
import { warningsOf } from "../event-types/schema-check";
import type { ImportedTypeView } from "./catalogue";

/** Time for the schemas of a document, which the thread for schemas compiles one by one. */
export const SCHEMAS_MS = 10_000;
/** Most characters of kept payloads on which the schemas of a document are tried. */
export const MAX_TRIED_CHARACTERS = 4_194_304;
/** Most characters of a problem, which may repeat parts of a schema. */
const PROBLEM_LENGTH = 300;

type ImportOptions = Readonly<{
  eventTypes: Pick<EventTypes, "known" | "putAll" | "schemaProblem" | "tryOnKept">;
  clock: Pick<Clock, "now">;
}>;

type CheckedEventType = Readonly<{ name: string } & ({ type: NewEventType } | { problem: string })>;

/** Imports the event types of one document: checks each, tries the schemas on kept payloads, and stores all at once. */
export class Importing {
  /** The problem of each schema of the document so far, by its text: event types may share one. */
  private readonly problems = new Map<string, string | null>();
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
    const types = checked.flatMap((each) => ("type" in each ? [each.type] : []));
    const warnings = await this.warningsFor(types);
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
    if (schema === undefined) return { name, type };
    const misfit = await this.schemaProblem(schema);
    return misfit === null ? { name, type: { ...type, schema } } : { name, problem: `its schema ${misfit}` };
  }

  private async schemaProblem(schema: JsonSchema): Promise<string | null> {
    const text = JSON.stringify(schema);
    const known = this.problems.get(text);
    if (known !== undefined) return known;
    if (this.options.clock.now() > this.end)
      return `was not checked, because those before it took ${SCHEMAS_MS / 1_000} s; import it in another document`;
    const problem = await this.options.eventTypes.schemaProblem(this.accountId, schema);
    this.problems.set(text, problem);
    return problem;
  }

  /** Tries the schemas on kept payloads, which only event types that are known have. */
  private async warningsFor(types: readonly NewEventType[]): Promise<ReadonlyMap<string, string[]>> {
    const { eventTypes, clock } = this.options;
    const names = types.flatMap(({ name, schema }) => (schema === undefined ? [] : [name]));
    const known = await eventTypes.known(this.accountId, names);
    const warnings = new Map<string, string[]>();
    let characters = 0;
    for (const { name, schema } of types) {
      if (schema === undefined || !known.has(name)) continue;
      if (characters > MAX_TRIED_CHARACTERS || clock.now() > this.end) {
        warnings.set(name, [NOT_TRIED]);
        continue;
      }
      const judged = await eventTypes.tryOnKept(this.accountId, name, schema, clock.now());
      characters += judged.reduce((sum, { payload }) => sum + payload.data.length, 0);
      warnings.set(name, warningsOf(judged));
    }
    return warnings;
  }
}

const NOT_TRIED =
  "This schema was not tried on the payloads of the last day, because the document's other schemas took too long or had too many; " +
  "POST /event-types/{name}/schema/check tries it";

function refused(name: string, problem: string): ImportedTypeView {
  const shown = problem.length > PROBLEM_LENGTH ? `${problem.slice(0, PROBLEM_LENGTH)}…` : problem;
  return { event_type: name, outcome: "refused", problem: shown.toWellFormed(), warnings: [] };
}
