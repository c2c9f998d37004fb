import { INBOX_STATEMENTS } from "../src/client/inbox/statements.ts";
import { pascalCase, snakeCase } from "./text";

const HEAD = "The statements of the inbox. All clients have the same, and so the same table.";
const MADE = "Made by `bun run clients`.";

/** Returns the statements of the inbox for the other clients, by their files in `clients/`. */
export function inboxStatements(): Record<string, string> {
  const statements = Object.entries(INBOX_STATEMENTS).map(([name, text]) => [name, outdented(text)] as const);
  return {
    "python/hermod/_inbox_statements.py": pythonOf(statements),
    "go/inbox_statements.go": goOf(statements),
  };
}

type Statements = readonly (readonly [name: string, text: string])[];

function pythonOf(statements: Statements): string {
  const constants = statements.map(
    ([name, text]) => `${snakeCase(name).toUpperCase()} = """\n${text}\n"""\n`,
  );
  return `"""${HEAD} ${MADE}"""\n\n${constants.join("\n")}`;
}

function goOf(statements: Statements): string {
  const constants = statements.map(([name, text]) => `const sql${pascalCase(name)} = \`\n${text}\n\`\n`);
  return `package hermod\n\n// ${HEAD} ${MADE}\n\n${constants.join("\n")}`;
}

/** Removes the indentation that all lines have. */
function outdented(text: string): string {
  return text.trim().replaceAll("\n    ", "\n");
}
