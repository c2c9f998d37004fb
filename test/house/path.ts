import { join } from "node:path";
import { ROOT, type Source, type Sources } from "./sources";

/** The path of one delivery: its files, and their size. */
export type Path = Readonly<{ files: readonly string[]; lines: number; classes: number }>;

/** The types that carry a delivery or its result from one stage to the next, in their order. */
export const SHAPES = [
  "NewDelivery",
  "Accepted",
  "Hint",
  "PendingDelivery",
  "SendRequest",
  "Exchange",
  "Outcome",
  "Recorded",
];

const AUTHORITY = join(ROOT, "test/bench/receiver/authority.pem");
/** The schema, the configuration and silent logs are no part of the path. */
const APART = /^src\/(db\/schema|service\/config|service\/environment|runtime\/log)\.ts$/;

/** A function, by its file and its characters there. */
type Span = Readonly<{ path: string; start: number; end: number }>;

/**
 * Measures what one HTTPS delivery by API key to an ordered endpoint takes at its first attempt, over both sides of the stream and
 * with cold caches: each file of which a function runs, or of which such a function names a type or a value. A function that
 * background loops run as well counts only if another one of the path names its file.
 */
export async function measurePath(sources: Sources): Promise<Path> {
  const { delivery, idle } = await traceDeliveries();
  const inBackground = new Set(idle);
  const files = new Set<string>();
  const follow = (functions: readonly Span[]): void => {
    for (const { path, start, end } of functions) {
      files.add(path);
      const source = sources.get(path);
      for (const to of source ? namedIn(source, start, end) : []) {
        const isNew = !files.has(to);
        files.add(to);
        if (isNew) follow(shared.filter((each) => each.path === to));
      }
    }
  };
  const shared = delivery.filter((each) => inBackground.has(each)).map(spanOf);
  follow(delivery.filter((each) => !inBackground.has(each)).map(spanOf));
  const counted = [...files].filter((path) => !APART.test(path)).sort();
  const texts = counted.flatMap((path) => sources.get(path) ?? []);
  return {
    files: counted,
    lines: texts.reduce((sum, { lines }) => sum + lines, 0),
    classes: texts.reduce(
      (sum, { text }) => sum + (text.match(/^(export )?(abstract )?class /gm)?.length ?? 0),
      0,
    ),
  };
}

/** Returns the files of which these characters name an import. */
function namedIn({ text, imports }: Source, start: number, end: number): string[] {
  const words = new Set(text.slice(start, end).match(/[\w$]+/g));
  return imports.filter(({ names }) => names.some((name) => words.has(name))).map(({ to }) => to);
}

/** Returns the functions that ran for a delivery, and those that ran while nothing was sent. */
async function traceDeliveries(): Promise<{ delivery: string[]; idle: string[] }> {
  const command = [process.execPath, "--preload", "./test/house/tracer.ts", "test/house/deliver.ts"];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: AUTHORITY };
  const child = Bun.spawn(command, { cwd: ROOT, env, stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the traced delivery failed");
  return JSON.parse(text);
}

function spanOf(place: string): Span {
  const [path = "", start, end] = place.split(":");
  return { path, start: Number(start), end: Number(end) };
}
