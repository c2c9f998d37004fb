import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Shortage } from "../../src/attempt/exchange";
import { OwnFailure, orOwnFailure, orOwnFailureToConnect } from "../../src/attempt/failure";
import { ShortageLog } from "../../src/dispatch/attempt-log";
import { ManualClock } from "../accounts/manual-clock";

test("without free file descriptors nothing counts against a receiver, and everything is sent once there are some", async () => {
  const program = join(import.meta.dir, "../attempt/out-of-files.ts");
  const child = Bun.spawn(["sh", "-c", `ulimit -n 200; exec "${process.execPath}" "${program}"`], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const own = { kind: "own_failure", shortage: "files" };
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual({
    without: { address: own, "a name's two addresses": own, "a look-up": own, proxy: own },
    again: { address: 200, "a name's two addresses": 200, "a look-up": 200, proxy: 200 },
  });
});

const shortageOf = (error: unknown) => (error instanceof OwnFailure ? error.shortage : null);

test.each<[string, object, Shortage | null]>([
  ["EMFILE", {}, "files"],
  ["ENFILE", {}, "files"],
  ["ENOBUFS", {}, "memory"],
  ["ENOMEM", {}, "memory"],
  ["EADDRNOTAVAIL", { address: "192.0.2.1" }, "ports"],
  // The error also means that there is no route to IPv6 from here.
  ["EADDRNOTAVAIL", { address: "2001:db8::1" }, null],
  ["ERR_SYSTEM_ERROR", { errno: 24 }, "files"],
  ["ERR_SYSTEM_ERROR", { errno: 2 }, null],
  ["ECONNREFUSED", { address: "192.0.2.1" }, null],
])("%s %j", (code, more, shortage) => {
  const error = Object.assign(new Error(code), { code, ...more });
  expect(shortageOf(orOwnFailure(error))).toBe(shortage);
  expect(shortageOf(orOwnFailureToConnect(error, () => true))).toBe(shortage);
  expect(shortageOf(orOwnFailureToConnect(error, () => false))).toBe(shortage ?? "files");
});

test("the log says what to do, once a minute, with the number of attempts", () => {
  const lines: [object, string][] = [];
  const clock = new ManualClock();
  const log = new ShortageLog(
    { error: (fields: object, text?: string) => void lines.push([fields, text ?? ""]) },
    clock,
  );
  for (let n = 0; n < 100; n++) log.note("files");
  log.note("ports");
  clock.pass(60_000);
  log.note("files");
  expect(lines).toEqual([
    [{ attempts: 1 }, expect.stringContaining("ulimit -n")],
    [{ attempts: 1 }, expect.stringContaining("ip_local_port_range")],
    [{ attempts: 100 }, expect.stringContaining("ulimit -n")],
  ]);
});
