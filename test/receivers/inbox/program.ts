import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CLIENTS, goProgram, pythonToolchain } from "../../clients/toolchains";

/** Returns the command of the receiver in Python with the inbox; null, with a note, if this machine can't run it. */
export async function pythonInbox(): Promise<readonly string[] | null> {
  const python = await pythonToolchain("psycopg[binary,pool]==3.3.9");
  return python && pythonCommand(python.env, [...python.command, join(import.meta.dir, "receiver.py")]);
}

/** Returns the command of the one for asyncio. `python` has FastAPI and psycopg. */
export function asyncInbox(python: string): readonly string[] {
  const env = { PYTHONPATH: join(CLIENTS, "python"), PYTHONDONTWRITEBYTECODE: "1" };
  return pythonCommand(env, [python, join(import.meta.dir, "async_receiver.py")]);
}

function pythonCommand(env: Readonly<Record<string, string>>, command: readonly string[]): readonly string[] {
  return ["env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command];
}

/** Builds the receiver in Go with the inbox in a folder; null, with a note, if this machine has no Go that can. */
export async function goInbox(folder: string): Promise<readonly string[] | null> {
  const place = join(folder, "go-inbox");
  await mkdir(place);
  await cp(join(import.meta.dir, "go"), place, { recursive: true });
  const module =
    "module receiver\n\ngo 1.24\n\nrequire (\n\thermod v0.0.0\n\tgithub.com/jackc/pgx/v5 v5.7.6\n)\n";
  await writeFile(join(place, "go.mod"), `${module}\nreplace hermod => ${join(CLIENTS, "go")}\n`);
  const program = await goProgram(place, ".", join(place, "receiver"));
  return program === null ? null : [program];
}
