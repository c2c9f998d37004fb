import { CommandFailed } from "./failure";
import { plain } from "./plain";
import type { CommandSession } from "./session";

/** Asks for confirmation before an irreversible change. Continues without asking if no terminal is attached. */
export async function confirm(
  session: CommandSession,
  question: string,
  isSure: boolean | undefined,
): Promise<void> {
  if (isSure || session.output.isJson) return;
  const answer = await session.context.ask(`${plain(question)} [y/N] `);
  if (answer !== null && !/^y(es)?$/i.test(answer.trim())) throw new CommandFailed("Nothing was done");
}
