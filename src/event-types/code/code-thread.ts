// The code that `CodeWriter` runs in a thread. It answers one question, and is ended then.
import { messageOf } from "../../runtime/errors";
import type { CodeQuestion, WrittenCode } from "./code-writer";
import { codeOfEvent } from "./event-code";

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<CodeQuestion>) => self.postMessage(await answerTo(data));

async function answerTo({ event, language, payload: { kind, text } }: CodeQuestion): Promise<WrittenCode> {
  try {
    const parsed = JSON.parse(text);
    const source =
      kind === "schema" ? { kind, schema: parsed } : { kind: "samples" as const, samples: [parsed] };
    return { kind: "written", files: await codeOfEvent({ event, source }, language) };
  } catch (error) {
    return { kind: "refused", reason: messageOf(error) };
  }
}
