// Breaks the service on purpose and reports whether it kept its promises:
//   bun run faults [--seed n] [--seconds n]
import { parseArgs } from "node:util";
import { type Report, runFaults } from "./run";

const DEFAULT_SECONDS = 60;

function options(): { seed: number; seconds: number } {
  const { values } = parseArgs({ options: { seed: { type: "string" }, seconds: { type: "string" } } });
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : wholeNumber("--seed", values.seed);
  const seconds = wholeNumber("--seconds", values.seconds ?? String(DEFAULT_SECONDS));
  return { seed, seconds };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`);
  return Number(text);
}

/** Prints a readable report on standard error, and all of it as JSON on standard output. */
function print(report: Report): void {
  const { seed, faults, sends, accepted, scheduled, events, brought } = report;
  const { unknown, received, repeats, violations, misfits } = report;
  const flaws = [...violations.map(({ guarantee, detail }) => `${guarantee}: ${detail}`), ...misfits];
  note(`${sends} sends, ${accepted} accepted, ${unknown} without a definite answer`);
  note(
    `${scheduled} of them scheduled, and ${events} events, ${brought} deliveries of which were brought later`,
  );
  note(`${received} requests at receivers, ${repeats} of them repeats, after ${faults.length} faults`);
  for (const flaw of flaws) note(`BROKEN  ${flaw}`);
  note(
    flaws.length === 0 ? "every promise was kept" : `${flaws.length} violations; again with --seed ${seed}`,
  );
  process.stdout.write(`${JSON.stringify({ verdict: flaws.length === 0 ? "kept" : "broken", ...report })}\n`);
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

try {
  const { seed, seconds } = options();
  note(`seed ${seed}, ${seconds} s of faults`);
  // Ctrl-C ends in order too, so that nothing is left behind.
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  const report = await runFaults({ seed, seconds, note, interrupted: interrupted.signal });
  print(report);
  process.exit(report.violations.length + report.misfits.length === 0 ? 0 : 1);
} catch (error) {
  note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}
