/**
 * Fetches as usual, but a loopback address without the proxy of HTTP_PROXY: that proxy is another machine as a rule, where
 * the address means something else.
 */
export function fetchLocally(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, isLoopback(new URL(url).hostname) ? { ...init, proxy: false } : init);
}

function isLoopback(hostname: string): boolean {
  return /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost\.?)$/.test(hostname);
}
