import type { Allowance } from "../accounts/rate-limit";
import { answerText } from "./answer";
import type { CursorList } from "./cursor-page";

/** Items that are read together. */
export const WHOLE_PAGE = 500;

export type WholeList<Item, Key> = Pick<CursorList<Item, Key>, "keyOf" | "read" | "view">;

/** JSON around the items. */
type Frame = Readonly<{ open: string; close: string }>;

const ARRAY: Frame = { open: "[", close: "]" };
export const DATA: Frame = { open: '{"data":[', close: "]}" };

/**
 * An answer with all of a list, however long. What does not fit a page is read while it is sent, no faster than it is
 * taken: so it takes the memory of a page. A list of which no more can be read then breaks off, as does its connection.
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

/** Asks for the next text when the one before was taken. It may never be: between two nothing is held. */
function streamOf(parts: AsyncGenerator<string, void>): ReadableStream<Uint8Array> {
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
