import { type ChildProcess, spawn } from "node:child_process";
import { unlessAborted } from "../runtime/clock";
import { messageOf } from "../runtime/errors";
import { endWithParent } from "./child-process";
import { openLog } from "./log-file";
import type { ProcessUser } from "./process-user";

/** A running server, in a session of its own. So Ctrl-C reaches only the service, which stops the server. */
export type EmbeddedServer = {
  /** The server's URL, with credentials. */
  readonly url: string;
  readonly pid: number;
  /** Shuts the server down, by force after `withinMs` (10,000 ms by default). Resolves once it has ended. */
  stop(withinMs?: number): Promise<void>;
  /** Ends the server with SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Resolves when the server has ended, for any reason. */
  exited: Promise<{ code: number | null; signal: string | null }>;
};

/** `recovering`: the server itself reports that it will be ready, which may take long. */
export type ServerReadiness = "ready" | "recovering" | "away";

export type Program = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly user?: ProcessUser | undefined;
  readonly logFile: string;
  readonly url: string;
  /** Advice to an operator for whom this server does not start. */
  readonly instead: string;
  /** Asks whether the server is ready. Throws if it can't become ready. */
  probe(): Promise<ServerReadiness>;
  /** Called after a server that was ready has ended. */
  cleanUp?(): Promise<void>;
  /** A start fails after this time without a sign of life (120,000 ms by default). */
  readonly patienceMs?: number;
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal | undefined;
  /** Called with a line about each step of the start. */
  readonly log?: ((line: string) => void) | undefined;
};

const STOP_MS = 10_000;
/** Time limit for stopping a server that was not ready yet and has no clients. */
const ABORT_MS = 1_000;
const PATIENCE_MS = 120_000;
/** A recovery is logged after this time. Every start recovers for a moment. */
const RECOVERY_MS = 2_000;
const POLL_MS = { least: 20, most: 500 };

/** A server did not become ready. The message has its last log lines. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly lines: string;

  constructor(program: Program, why: string, lines: string) {
    const log = lines ? `${program.logFile}, which ends:\n${lines}\n` : `${program.logFile}. `;
    super(`${program.name} did not start: ${why}. See ${log}${program.instead}`);
    this.lines = lines;
  }

  get portTaken(): boolean {
    return /address already in use/i.test(this.lines);
  }
}

/** Starts a server. Resolves once it is ready. Otherwise rejects, with a `StartError` or the abort, and stops it. */
export async function launch(program: Program): Promise<EmbeddedServer> {
  program.signal?.throwIfAborted();
  const log = openLog(program.logFile);
  const child = start(program, log.fd);
  log.close();
  const release = child.pid === undefined ? () => {} : endWithParent(child.pid);
  const ended = endOf(child);
  ended.then(release);
  const why = await unlessAborted(whyNotReady(program, ended), program.signal).catch(
    () => "the start was aborted",
  );
  if (why !== undefined) {
    await terminate(child, ended, program.signal?.aborted ? ABORT_MS : STOP_MS);
    throw new StartError(program, why, log.tail());
  }
  return running(program, child, ended);
}

function start({ command, args, cwd, env, user }: Program, logFd: number): ChildProcess {
  return spawn(command, args, { cwd, env, ...user, detached: true, stdio: ["ignore", logFd, logFd] });
}

type ProcessExit = { code: number | null; signal: string | null; error?: Error };

function endOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.on("exit", (code, signal) => resolve({ code, signal }));
    child.on("error", (error) => {
      // With a pid, the error is about an undelivered signal, not about the end.
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
  });
}

async function whyNotReady(program: Program, ended: Promise<ProcessExit>): Promise<string | undefined> {
  let over = false;
  const death = ended.then(({ code, signal, error }) => {
    over = true;
    return error?.message ?? `it ended with ${signal ?? `code ${code}`}`;
  });
  const why = await Promise.race([death, untilReady(program, () => over)]);
  if (why === undefined) return undefined;
  // Waits for our server's end: the probe may have reached a server of another program on our port. Then ours ends soon, and its
  // log has the reason.
  return Promise.race([death, Bun.sleep(500).then(() => why)]);
}

async function untilReady(program: Program, over: () => boolean): Promise<string | undefined> {
  const { patienceMs = PATIENCE_MS } = program;
  const begin = performance.now();
  let [lastSign, isTold] = [begin, false];
  try {
    while (!over()) {
      const readiness = await program.probe();
      if (readiness === "ready") return undefined;
      const now = performance.now();
      const waited = now - begin;
      if (readiness === "recovering") lastSign = now;
      if (now - lastSign > patienceMs) return `it was not ready after ${patienceMs / 1000} s`;
      if (readiness === "recovering" && waited > RECOVERY_MS && !isTold) {
        program.log?.(`${program.name} recovers from a crash; waiting for it. See ${program.logFile}`);
        isTold = true;
      }
      await Bun.sleep(Math.min(POLL_MS.most, Math.max(POLL_MS.least, waited / 10)));
    }
  } catch (error) {
    return messageOf(error);
  }
  return "it ended";
}

function running(program: Program, child: ChildProcess, ended: Promise<ProcessExit>): EmbeddedServer {
  const exited = ended.then(async ({ code, signal }) => {
    await program.cleanUp?.();
    return { code, signal };
  });
  return {
    url: program.url,
    pid: child.pid ?? 0,
    exited,
    async stop(withinMs = STOP_MS) {
      await terminate(child, ended, withinMs);
      await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Sends SIGINT, which shuts both servers down in order, also with clients connected. */
async function terminate(child: ChildProcess, ended: Promise<ProcessExit>, withinMs: number): Promise<void> {
  child.kill("SIGINT");
  const force = setTimeout(() => child.kill("SIGKILL"), withinMs);
  await ended;
  clearTimeout(force);
}
