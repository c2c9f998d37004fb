import type { Certification } from "../../client/types";
import { CommandFailed } from "../failure";
import type { Columns } from "../output";
import type { Add } from "./command";
import { groupOf } from "./group";

type CertifiedCheck = Certification["checks"][number];

const COLUMNS: Columns<CertifiedCheck> = [
  ["outcome", 9, ({ outcome }) => outcome.replace("_", " ")],
  ["check", 13, ({ check }) => check],
  ["text", 60, ({ text }) => text],
];

export const addCertify: Add = (parent, session) => {
  groupOf(parent, "endpoints")
    .command("certify <id>")
    .summary("Certify a receiver: send it trials, and say what to mend.")
    .description(
      "Send up to eight trials to a receiver, which are no deliveries, and say what it did and what to mend. Takes up to 25 s. Ends " +
        "with 1 if a check failed, so that the receiver's own tests can ask.",
    )
    .action(async (id) => {
      const { output } = session;
      const { outcome, checks } = await (await session.hermod()).endpoints.certify(id);
      await output.all(checks, COLUMNS);
      for (const { check, mend, docs } of checks) if (mend) output.say(`${check}: ${mend} (${docs}).`);
      if (outcome !== "failed") return;
      const failed = checks.filter((each) => each.outcome === "failed").map(({ check }) => check);
      throw new CommandFailed(`The receiver does not pass: ${failed.join(", ")}`);
    });
};
