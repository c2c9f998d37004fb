// `bun run client:types`: writes the client's types, src/client/openapi.ts, from the document beside it. Not in git: an install, a check
// and a pack write them.
import { join } from "node:path";
import openapiTypes from "openapi-typescript";

const FOLDER = join(import.meta.dir, "../src/client");
const COMMENT = "// Made from openapi.json by `bun run client:types`.\n\n";

const document = await Bun.file(join(FOLDER, "openapi.json")).json();
const types = COMMENT + (await openapiTypes(document, { commentHeader: "", alphabetize: true }));
const file = Bun.file(join(FOLDER, "openapi.ts"));
// Leaves an equal file alone: a compiler or an editor may be reading it.
if (!(await file.exists()) || (await file.text()) !== types) await Bun.write(file, types);
