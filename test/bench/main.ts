// `bun run bench`: compares the service with a bare pipeline that does the same work without its features, both on this
// machine, alternately. Figures are only comparable as ratios within one run.
import { Bench } from "./bench";
import { type Options, readOptions, USAGE } from "./options";
import { renderTable, summarize } from "./report";
import type { Run } from "./run";

const EXIT_USAGE = 2;
const EXIT_SIGNAL = 130;

async function main(args: string[]): Promise<number> {
  const options = readOrRefuse(args);
  if (options === null) return EXIT_USAGE;
  if (options === "help") {
    process.stdout.write(USAGE);
    return 0;
  }
  return measure(options);
}

async function measure(options: Options): Promise<number> {
  const bench = await Bench.open(options);
  const signalled = new Promise<"signalled">((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve("signalled"));
  });
  try {
    const results = await Promise.race([bench.run(print), signalled]);
    if (results === "signalled") return EXIT_SIGNAL;
    process.stdout.write(`\n${renderTable(results)}`);
    const summary = summarize(results.runs);
    if (options.json !== null)
      await Bun.write(options.json, JSON.stringify({ ...results, summary }, null, 2));
    return results.runs.some((run) => run.broken !== null) ? 1 : 0;
  } finally {
    await bench.close();
  }
}

/** Prints a line for each run as it ends. */
function print({ scenario, system, round, figures, broken }: Run): void {
  const shown = Object.entries(figures ?? {}).filter(([name]) => !name.includes("cpu "));
  const text = broken ?? shown.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(", ");
  process.stderr.write(`${scenario} ${system} ${round}: ${text}\n`);
}

function readOrRefuse(args: string[]): Options | "help" | null {
  try {
    return readOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return null;
  }
}

process.exit(await main(process.argv.slice(2)));
