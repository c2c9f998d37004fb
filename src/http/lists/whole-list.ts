import type { Allowance } from "../../accounts/rate-limit";
import { answerText } from "../answer";
import type { CursorList } from "./cursor-page";

/** Most items that are read in one query. */
export const WHOLE_PAGE = 500;

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
  if (first.length < WHOLE_PAGE) {
    return answerText(allowance, 200, frame.open + textOf(list, first) + frame.close);
  }
  return answerText(allowance, 200, streamOf(texts(list, first, frame)));
}

async function* texts<Item, Key>(
  list: WholeList<Item, Key>,
  first: Item[],
  { open, close }: Frame,
): AsyncGenerator<string, void> {
  yield open + textOf(list, first);
  for (let last = first.at(WHOLE_PAGE - 1); last !== undefined; ) {
    const page = await list.read({ limit: WHOLE_PAGE, beyond: list.keyOf(last) });
    if (page.length > 0) yield `,${textOf(list, page)}`;
    last = page.at(WHOLE_PAGE - 1);
  }
  yield close;
}

function textOf<Item, Key>({ view }: WholeList<Item, Key>, items: Item[]): string {
  return items.map((item) => JSON.stringify(view(item))).join(",");
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
