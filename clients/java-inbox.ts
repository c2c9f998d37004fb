import { INBOX_STATEMENTS } from "../src/client/inbox/statements.ts";
import { HEAD } from "./java-names";
import { snakeCase } from "./text";

/** Ends the statement that takes a row for one transaction alone. */
const TAKING = "\nfor update of r skip locked";

/** Writes the statements of the inbox for JDBC, which knows question marks alone. */
export function inboxStatement(): string {
  const constants = Object.entries(INBOX_STATEMENTS).map(([name, text]) => {
    const statement = text.trim().replaceAll("\n    ", "\n") + (name === "takeFirst" ? TAKING : "");
    const order = Array.from(statement.matchAll(/\$(\d+)/g), ([, number]) => `, ${number}`);
    const lines = statement.replaceAll(/\$\d+/g, "?").replaceAll("\n", "\n            ");
    return `    ${snakeCase(name).toUpperCase()}("""\n            ${lines}"""${order.join("")})`;
  });
  return `${HEAD.replace("the API document", "the statements of the inbox")}package dev.hermod.inbox;

/** The statements of the inbox. All clients have the same, and so the same table. */
enum InboxStatement {
${constants.join(",\n")};

    final String text;
    /** The number of the value in place of each question mark, from 1. */
    final int[] order;

    InboxStatement(String text, int... order) {
        this.text = text;
        this.order = order;
    }
}
`;
}
