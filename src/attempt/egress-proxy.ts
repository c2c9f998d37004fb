/** Throws when a text is not the URL of an HTTP proxy; the error shows none of it, for it may hold a password. */
export function checkProxyUrl(text: string): void {
  const url = URL.parse(text);
  const isBare = url?.pathname === "/" && url.search === "" && url.hash === "";
  if (url?.protocol !== "http:" || !isBare) {
    throw new Error("it must have the form http://[user:password@]host:port");
  }
}
