import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Glob } from "bun";

/** Files of the service that parse JSON, with the reason for which no request's text is parsed there unbounded. */
const HOMES: Readonly<Record<string, string>> = {
  "src/accounts/authentication/key-set.ts": "the operator's key set, whose answer is limited",
  "src/db/typed.ts": "JSON that Postgres writes",
  "src/embedded/data-dir.ts": "a file of the data folder",
  "src/event-types/filter/cel-json.ts": "a payload, in the thread for rules",
  "src/event-types/judge.ts": "a payload, in the thread for rules",
  "src/event-types/schema/pattern-translation.ts": "one escape of a pattern",
  "src/http/auditing.ts": "our own answer",
  "src/http/console/bundle.ts": "the console's own files",
  "src/http/json/raw-field.ts": "one name of a body that was parsed",
  "src/http/json/request-body.ts": "the one reader of bodies",
  "src/http/lists/cursors.ts": "a token that was sealed here",
  "src/http/openapi/document.ts": "our own document",
  "src/http/openapi/schema.ts": "our own models",
  "src/http/resources/catalogue/exporting.ts": "a stored example",
  "src/http/resources/event-types/event-type.ts": "a stored example",
  "src/otlp/logs.ts": "our own log lines",
  "src/otlp/metrics.ts": "our own labels",
  "src/recorder/exchange-record.ts": "the kept part of a receiver's answer, a few KiB",
  "src/service/api-address.ts": "a file of the data folder",
  "src/stream/hint.ts": "a message whose signature was checked",
  "src/transfer/export-file.ts": "the operator's export",
  "src/transfer/import.ts": "the operator's export",
};

/** Parts that run on the reader's or the sender's machine, not in the service. */
const NOT_SERVICE = ["src/cli/", "src/client/", "src/console/"];
const ROOT = `${import.meta.dir}/../../`;

test("every place of the service that parses JSON is known", () => {
  const files = [...new Glob("src/**/*.ts").scanSync(ROOT)].filter(
    (file) => !NOT_SERVICE.some((folder) => file.startsWith(folder)),
  );
  const parsing = files.filter((file) =>
    /^(?!\s*(?:\*|\/[/*])).*(?:JSON\.parse\(|\.json\(\))/m.test(readFileSync(ROOT + file, "utf8")),
  );
  expect(parsing.sort()).toEqual(Object.keys(HOMES).sort());
});
