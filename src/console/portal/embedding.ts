/** True if another page embeds the portal. */
export const isEmbedded = parent !== window;

/** The origin of the embedding page. Only origins in the content policy can embed the portal. */
const host = isEmbedded && document.referrer ? new URL(document.referrer).origin : null;

export type Note =
  | { type: "hermod:ready" }
  | { type: "hermod:resize"; height: number }
  | { type: "hermod:navigate"; path: string }
  | { type: "hermod:session-expired" };

/** Notifies the embedding page. Sends no secret, so without a referrer any page may receive it. */
export function notify(note: Note): void {
  if (isEmbedded) parent.postMessage(note, host ?? "*");
}

/** Sends the portal's height to the embedding page, so that only one of the two scrolls. */
export function reportHeight(): void {
  if (!isEmbedded) return;
  const report = () => notify({ type: "hermod:resize", height: document.documentElement.offsetHeight });
  new ResizeObserver(report).observe(document.body);
}

/** Waits for a new link from the embedding page, after `hermod:session-expired`. */
export function onNewLink(open: (url: string) => void): void {
  onMessage("hermod:session", ({ url }) => {
    if (typeof url === "string") open(url);
  });
}

/** Waits for another language or theme from the embedding page. */
export function onAppearance(take: (attributes: { lang: unknown; theme: unknown }) => void): void {
  onMessage("hermod:appearance", ({ lang, theme }) => take({ lang, theme }));
}

type Message = Readonly<Record<string, unknown>>;

function onMessage(type: string, take: (message: Message) => void): void {
  addEventListener("message", ({ source, origin, data }: MessageEvent<Message | null>) => {
    if (source !== parent || (host !== null && origin !== host)) return;
    if (data?.type === type) take(data);
  });
}
