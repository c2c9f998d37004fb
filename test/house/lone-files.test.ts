import { expect, test } from "bun:test";
import { dirname } from "node:path";
import { readSources } from "./sources";

/** A file of fewer lines joins its only reader in the same folder, unless both together exceed `MOST_JOINED`. */
const SMALL = 60;
const MOST_JOINED = 250;

/** Small files that read better alone, and why. */
const ALONE: Readonly<Record<string, string>> = {
  "src/api/openapi/version-3-0.ts": "another version of the document",
  "src/cli/old-node.ts": "loaded by old versions of Node alone",
  "src/cli/standard-output.ts": "its reader is the script that npm links",
  "src/doctor/cold-store.ts": "a check, like its siblings",
  "src/doctor/collector.ts": "a check, like its siblings",
  "src/doctor/key-set.ts": "a check, like its siblings",
  "src/doctor/mail.ts": "a check, like its siblings",
  "src/pulling/ready.ts": "a statement of its own",
  "src/recorder/drain.ts": "a part of the recording statement that decides by itself",
  "src/recorder/feed-events.ts": "a part of the recording statement that decides by itself",
  "src/resources/catalogue/exporting.ts": "a stream, and a known parser of JSON",
  "src/resources/receiver-keys/receiver-key.ts": "the model of a resource",
  "src/retention/next-block.ts": "a statement of its own",
};
/** Components of the console are small by nature. */
const CONSOLE = "src/console/";

const sources = await readSources();

test("a small file with one reader beside it joins that reader, except for those that are listed", () => {
  const readers = Map.groupBy(
    [...sources.values()].flatMap(({ path, imports }) =>
      [...new Set(imports.map(({ to }) => to))].map((to) => ({ path, to })),
    ),
    ({ to }) => to,
  );
  const lone = [...sources.values()].filter(({ path, lines }) => {
    const [reader, other] = readers.get(path) ?? [];
    if (!reader || other || lines >= SMALL || path.startsWith(CONSOLE)) return false;
    const isBeside = dirname(reader.path) === dirname(path);
    return isBeside && lines + (sources.get(reader.path)?.lines ?? 0) <= MOST_JOINED;
  });
  expect(lone.map(({ path }) => path).sort()).toEqual(Object.keys(ALONE).sort());
});
