/** `fetch` as the libraries for tokens and sign-in call it. */
type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/**
 * Makes a `fetch` that reads the answer and rejects beyond `most` bytes. A library that reads an answer itself would read it
 * whole, however long it is, and parse it.
 */
export function boundedFetch(most: number): Fetch {
  return async (url, options) => {
    const response = await fetch(url, options);
    const { status, statusText, headers } = response;
    const text = await textOf(response, most);
    return new Response(text === "" ? null : text, { status, statusText, headers });
  };
}

async function textOf({ body }: Response, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > most) throw new Error(`the answer has more than ${most} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
