import type { Elysia } from "elysia";
import { countFiles, type FilesRead } from "../../cold/files-read";
import type { Handle } from "./answering";

/** Puts the number of files that a GET has read on its answer, and the time that this took (W3C Server Timing). */
export function timeFiles(app: Pick<Elysia, "wrap">): void {
  app.wrap((handle: Handle) => (request: Request, ...rest: unknown[]) => {
    if (request.method !== "GET") return handle(request, ...rest);
    const read: FilesRead = { files: 0, ms: 0 };
    const answer = countFiles(read, () => handle(request, ...rest));
    return answer instanceof Promise ? answer.then((each) => finish(each, read)) : finish(answer, read);
  });
}

function finish(answer: unknown, { files, ms }: FilesRead): unknown {
  if (files > 0 && answer instanceof Response)
    answer.headers.set("server-timing", `files;desc="${files}";dur=${Math.round(ms)}`);
  return answer;
}
