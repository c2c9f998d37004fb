import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Glob } from "bun";

/** Files of the service that parse JSON or YAML, with what bounds the text before it is parsed. */
const HOMES: Readonly<Record<string, string>> = {
  "src/accounts/authentication/key-set.ts": "read by boundedFetch, 65,536 bytes",
  "src/db/typed.ts": "JSON that Postgres writes, of columns whose values were bounded when they were stored",
  "src/domain/role.ts": "the operator's setting of roles, read once at the start",
  "src/embedded/data-dir.ts": "a file of the data folder, which only its owner writes",
  "src/event-types/catalogue/yaml.ts": "YAML of 262,144 characters, in the thread for rules",
  "src/event-types/filter/cel-json.ts": "a payload within the bounds of its request, in the thread for rules",
  "src/event-types/schema/exact-numbers.ts":
    "a payload within the bounds of its request, in the thread for rules",
  "src/event-types/code/code-thread.ts":
    "a schema or example of 65,536 characters, in a thread of its own with a time limit",
  "src/event-types/judge.ts": "a schema, bounded before it is given to the thread for rules",
  "src/feeds/chat-message.ts":
    "a payload within the bounds of its request, or a report that was written here",
  "src/resources/catalogue/exporting.ts": "a stored schema of 131,072 bytes and example of 16,384, 4 a page",
  "src/runtime/text/exact-json.ts": "texts of its callers, which are in this list",
  "src/event-types/schema/pattern-translation.ts": "one escape of a pattern of 1,024 characters",
  "src/api/auditing.ts": "the answer to a change, at most twice its request; only its id is read",
  "src/api/console/bundle.ts": "a file of the package",
  "src/api/json/request-body.ts": "the reader of bodies, which checks its bounds before",
  "src/api/lists/cursors.ts": "a token that was sealed here",
  "src/api/openapi/document.ts": "the API document, from models of the code",
  "src/api/openapi/schema.ts": "a model of the code",
  "src/otlp/logs.ts": "a log line of this process",
  "src/otlp/metrics.ts": "labels of this process",
  "src/recorder/exchange-record.ts": "a record that encodeExchange wrote, with parts of bounded length",
  "src/router/cell-reading.ts": "the page of a list or the entry of a cell, which the cell bounds",
  "src/router/merging.ts": "a cursor within the bounds of a URL",
  "src/service/api-address.ts": "a file of the data folder, which only its owner writes",
  "src/stream/hint.ts": "a message whose signature was verified",
  "src/transfer/export-file.ts": "the operator's export, a line at a time",
  "src/transfer/import.ts": "the operator's export, a line at a time",
};

/** Parts that run on the reader's or the sender's machine, not in the service. */
const NOT_SERVICE = ["src/cli/", "src/client/", "src/console/"];
const ROOT = `${import.meta.dir}/../../`;

test("every place of the service that parses JSON or YAML is known", () => {
  const files = [...new Glob("src/**/*.ts").scanSync(ROOT)].filter(
    (file) => !NOT_SERVICE.some((folder) => file.startsWith(folder)),
  );
  const parsing = files.filter((file) =>
    /^(?!\s*(?:\*|\/[/*])).*(?:JSON\.parse\(|parseExactly\(|parseRounded\(|\.json\(\)|from "js-yaml")/m.test(
      readFileSync(ROOT + file, "utf8"),
    ),
  );
  expect(parsing.sort()).toEqual(Object.keys(HOMES).sort());
});
