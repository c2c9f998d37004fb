import { expect, test } from "bun:test";
import { isTemporary } from "../../src/db/database";
import { failureOf, type PostgresFailure } from "../../src/db/postgres-failure";

const withCode = (code: string) => Object.assign(new Error("a test"), { code });

const CODES: Readonly<Record<PostgresFailure, readonly string[]>> = {
  departed: ["HM002"],
  broken: [
    "08000",
    "08006",
    "08P01",
    "57P01",
    "57P02",
    "57P03",
    "25P03",
    "25P04",
    "CONNECTION_CLOSED",
    "ECONNREFUSED",
  ],
  unreachable: [
    "28P01",
    "3D000",
    "53300",
    "53400",
    "57P04",
    "57P05",
    "58000",
    "58030",
    "CONNECT_TIMEOUT",
    "UNSAFE_TRANSACTION",
  ],
  read_only: ["25006"],
  disk_full: ["53100"],
  no_memory: ["53200"],
  too_late: ["57014"],
  locked: ["55P03"],
  conflict: ["40001", "40P01"],
};

test.each(Object.entries(CODES))("every code of the failure %s is temporary", (failure, codes) => {
  for (const code of codes) {
    const error = withCode(code);
    expect([code, failureOf(error)]).toEqual([code, failure as PostgresFailure]);
    expect(failureOf(new Error("wrapped", { cause: error }))).toBe(failure as PostgresFailure);
    expect(isTemporary(error)).toBeTrue();
  }
});

test.each(["22012", "23505", "42P01", "42501", "0A000", "XX000", "P0001"])(
  "an error of the statement itself is not temporary: %s",
  (code) => {
    expect(failureOf(withCode(code))).toBeNull();
    expect(isTemporary(withCode(code))).toBeFalse();
  },
);
