import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { ErrorCode, JSONCodec, type NatsConnection, NatsError } from "nats";
import { EXTERNAL_ID_MAX_LENGTH } from "../accounts/external-id";
import type { KnownReferences } from "./known-here";
import type { CellReference } from "./reference";

/** Most references of a question. */
export const MOST_ASKED = 500;
/** A cell that has not answered after this time counts as silent. */
export const ANSWER_MS = 1_000;

const Account = Type.String({ minLength: 1, maxLength: EXTERNAL_ID_MAX_LENGTH * 2 });
const Asked = Type.Array(
  Type.Union([
    Type.Object({
      kind: Type.Literal("token"),
      text: Type.String({ pattern: "^[0-9a-f]{64}$" }),
      isSession: Type.Boolean(),
    }),
    Type.Object({ kind: Type.Literal("account"), text: Account }),
  ]),
  { maxItems: MOST_ASKED },
);
const Keys = Type.Array(Type.String(), { maxItems: MOST_ASKED });
const Known = Type.Object({ here: Keys, everywhere: Keys });

const asked = JSONCodec<Static<typeof Asked>>();
const known = JSONCodec<KnownReferences>();

function subjectOf(cell: string): string {
  return `hermod.cells.${cell}.knows`;
}

/**
 * Returns which of the references a cell has; null if it is not connected, or answers in another form. Throws if it hangs, which
 * takes `ANSWER_MS`.
 */
export async function askCell(
  nats: NatsConnection,
  cell: string,
  references: readonly CellReference[],
): Promise<KnownReferences | null> {
  try {
    const { data } = await nats.request(subjectOf(cell), asked.encode([...references]), {
      timeout: ANSWER_MS,
    });
    const answer: unknown = known.decode(data);
    return Value.Check(Known, answer) ? answer : null;
  } catch (error) {
    if (error instanceof NatsError && error.code === ErrorCode.Timeout) throw error;
    return null;
  }
}

/** Answers questions to a cell. Its processes take turns. A question that can't be answered gets no answer. */
export function answerQuestions(
  nats: NatsConnection,
  cell: string,
  knows: (references: readonly CellReference[]) => Promise<KnownReferences>,
): void {
  nats.subscribe(subjectOf(cell), {
    queue: cell,
    callback: async (error, message) => {
      if (error) return;
      try {
        const question: unknown = asked.decode(message.data);
        if (Value.Check(Asked, question)) message.respond(known.encode(await knows(question)));
      } catch {
        // Malformed, or Postgres is away: the asker counts this cell as silent.
      }
    },
  });
}
