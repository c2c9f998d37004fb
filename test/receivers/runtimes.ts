import { join } from "node:path";

/** Where a receiver runs: its port, how long it keeps idle connections, and a folder of its own. */
export type Place = Readonly<{ port: number; keepAliveMs: number; folder: string }>;

/** A server that somebody may receive webhooks with. */
export type Runtime = Readonly<{
  name: string;
  /** The command that starts it; null if something that it needs is missing. */
  command(place: Place): readonly string[] | null;
  /** Whether its receiver can answer before it has read the body. */
  canAnswerEarly: boolean;
}>;

const here = (file: string) => join(import.meta.dir, file);

/** A receiver of ours, which takes a port and how long it keeps idle connections, milliseconds. */
function ours(program: string, ...rest: readonly string[]): Runtime["command"] {
  return ({ port, keepAliveMs }) =>
    Bun.which(program) === null ? null : [program, ...rest, String(port), String(keepAliveMs)];
}

/** A server of Python's, for applications.py. */
function python(
  module: string,
  options: (port: number, keepAliveS: string) => readonly string[],
): Runtime["command"] {
  return ({ port, keepAliveMs }) => {
    if (Bun.which("python3") === null) return null;
    const { success } = Bun.spawnSync(["python3", "-c", `import ${module}`], { stderr: "ignore" });
    return success ? ["python3", "-m", module, ...options(port, String(keepAliveMs / 1_000))] : null;
  };
}

/** Compiled first: `go run` leaves its program behind when it is ended. */
function go(file: string): Runtime["command"] {
  return ({ port, keepAliveMs, folder }) => {
    if (Bun.which("go") === null) return null;
    const program = join(folder, "receiver");
    const { success } = Bun.spawnSync(["go", "build", "-o", program, file], { stderr: "inherit" });
    return success ? [program, String(port), String(keepAliveMs)] : null;
  };
}

export const RUNTIMES: readonly Runtime[] = [
  { name: "Node", command: ours("node", here("receiver.mjs")), canAnswerEarly: true },
  { name: "Node, silent", command: ours("node", here("receiver.mjs"), "silent"), canAnswerEarly: true },
  { name: "Python http.server", command: ours("python3", here("receiver.py")), canAnswerEarly: true },
  {
    name: "uvicorn",
    command: python("uvicorn", (port, keepAliveS) => [
      ...["--app-dir", import.meta.dir, "--port", String(port), "--timeout-keep-alive", keepAliveS],
      ...["--no-access-log", "--log-level", "error", "applications:asgi"],
    ]),
    canAnswerEarly: true,
  },
  {
    name: "gunicorn",
    command: python("gunicorn", (port, keepAliveS) => [
      ...["--chdir", import.meta.dir, "--bind", `127.0.0.1:${port}`, "--keep-alive", keepAliveS],
      ...["--threads", "64", "--log-level", "error", "applications:wsgi"],
    ]),
    canAnswerEarly: false,
  },
  { name: "Go net/http", command: go(here("receiver.go")), canAnswerEarly: true },
  { name: "Java HttpServer", command: ours("java", here("Receiver.java")), canAnswerEarly: true },
];
