// `bun run house`: prints the figures of the house, to compare before and after a change.
import { circlesOf } from "./circles";
import { sharedNamesOf } from "./names";
import { measurePath, SHAPES } from "./path";
import { readSources, roomOf, type Source } from "./sources";

/** Facts that stand in several files, by the words that name them. */
const PLACES = {
  "operation updateKey": /\b[uU]pdateKey\b|\bkeys\.(setActive|update)\b/,
  "setting rate_limit": /\brate_limit\b|\brateLimit\b|--rate-limit\b/,
};
const sources = await readSources();
const written = [...sources.values()];
const linesOf = (files: readonly Source[]) => files.reduce((sum, { lines }) => sum + lines, 0);
const print = (line = "") => process.stdout.write(`${line}\n`);
const row = (name: string, ...figures: number[]) =>
  print(name.padEnd(24) + figures.map((each) => each.toLocaleString("en").padStart(8)).join(""));

print(`${"room".padEnd(24)}   files   lines`);
for (const [room, files] of Object.entries(Object.groupBy(written, ({ path }) => roomOf(path))).sort())
  row(room, files?.length ?? 0, linesOf(files ?? []));
row("all", written.length, linesOf(written));

print();
const circles = circlesOf(sources);
row("circles of imports", circles.length);
for (const circle of circles) print(`  ${circle.join(" ")}`);

const shared = sharedNamesOf(sources);
row("types of one name", shared.length);
for (const { name, paths } of shared) print(`  ${name}: ${paths.join(" ")}`);

for (const [name, words] of Object.entries(PLACES)) {
  const places = written.filter(({ text }) => words.test(text));
  row(`files of ${name}`, places.length);
  for (const { path } of places) print(`  ${path}`);
}

print();
const path = await measurePath(sources);
print("one delivery");
row("  files", path.files.length);
row("  lines", path.lines);
row("  classes", path.classes);
row("  shapes", SHAPES.length);
if (process.argv.includes("--files")) for (const file of path.files) print(`    ${file}`);
