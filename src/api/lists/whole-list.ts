import { setImmediate } from "node:timers/promises";
import type { Allowance } from "../../accounts/rate-limit";
import { answerText } from "../answer";
import type { CursorList } from "./cursor-page";

/** Most items that are read in one query: an endpoint may have 120 KB. */
export const WHOLE_PAGE = 100;
/** Characters of items that are written in a row, before other requests get their turn. */
const PART = 65_536;

export type WholeList<Item, Key> = Pick<CursorList<Item, Key>, "keyOf" | "read" | "view">;

/** The JSON around the items. */
type Frame = Readonly<{ open: string; close: string }>;

const ARRAY: Frame = { open: "[", close: "]" };
export const DATA: Frame = { open: '{"data":[', close: "]}" };

/**
 * Answers with a whole list, however long it is. Reads further pages only as fast as the client takes them, so it needs the
 * memory of one page. If a page can't be read, closes the connection in the middle of the answer.
 */
export async function answerWhole<Item, Key>(
  allowance: Allowance,
  list: WholeList<Item, Key>,
  frame: Frame = ARRAY,
): Promise<Response> {
  const first = await list.read({ limit: WHOLE_PAGE });
  const parts = texts(list, first, frame);
  if (first.length === WHOLE_PAGE) return answerText(allowance, 200, streamOf(parts));
  return answerText(allowance, 200, (await Array.fromAsync(parts)).join(""));
}

async function* texts<Item, Key>(
  list: WholeList<Item, Key>,
  first: Item[],
  { open, close }: Frame,
): AsyncGenerator<string, void> {
  let separator = "";
  yield open;
  for (let page = first; page.length > 0; page = await pageBehind(list, page)) {
    for (const text of textsOf(list, page)) {
      yield separator + text;
      separator = ",";
      await setImmediate();
    }
  }
  yield close;
}

async function pageBehind<Item, Key>(list: WholeList<Item, Key>, page: Item[]): Promise<Item[]> {
  const last = page.at(WHOLE_PAGE - 1);
  return last === undefined ? [] : list.read({ limit: WHOLE_PAGE, beyond: list.keyOf(last) });
}

/** Yields the items' texts, joined up to about the length of a part. */
function* textsOf<Item, Key>({ view }: WholeList<Item, Key>, items: Item[]): Generator<string, void> {
  let texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = JSON.stringify(view(item));
    texts.push(text);
    length += text.length;
    if (length < PART) continue;
    yield texts.join(",");
    [texts, length] = [[], 0];
  }
  if (texts.length > 0) yield texts.join(",");
}

/**
 * Streams the parts, and makes the next one when the client has taken the last. Holds no resources in between, since the client
 * may never read on.
 */
export function streamOf(parts: AsyncGenerator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
}
