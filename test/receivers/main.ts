// `bun run receivers`: sends webhooks to real receivers over a link of 40 ms, with gaps as long as they keep their connections,
// and bodies that they answer before they have read them. Ends with 1 if one failed though its receiver is well, or if a byte
// of a delivered one is missing. A receiver whose runtime is not on this machine is named, and counts for nothing.
import { messageOf } from "../../src/runtime/errors";
import { RUNTIMES, type Runtime } from "./runtimes";
import { type Result, tryReceiver } from "./trial";

function lineOf({ name, webhooks, late, repeats, early, missing, failures }: Result): string {
  const first = `${name}: ${webhooks} webhooks, ${late} to a closed connection, ${repeats} repeated; `;
  const second = early === 0 ? "can't answer early" : `${early} answered early, ${missing} bytes missing`;
  return `${first}${second}; ${failures.length} failed ${[...new Set(failures)].join(", ")}`;
}

/** Prints what came of a receiver. False: a webhook failed, a byte is missing, or it did not run though it could. */
async function judge(runtime: Runtime): Promise<boolean> {
  try {
    const result = await tryReceiver(runtime);
    const isMissing = `${runtime.name}: not run, something that it needs is not on this machine`;
    process.stdout.write(`${result === null ? isMissing : lineOf(result)}\n`);
    return result === null || (result.failures.length === 0 && result.missing === 0);
  } catch (error) {
    process.stdout.write(`${runtime.name}: ${messageOf(error)}\n`);
    return false;
  }
}

const verdicts = await Promise.all(RUNTIMES.map(judge));
process.exit(verdicts.every(Boolean) ? 0 : 1);
