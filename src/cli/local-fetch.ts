/**
 * Fetches without the proxy of HTTP_PROXY for loopback addresses. The proxy usually runs on another machine, where a loopback
 * address means that machine.
 */
export function fetchLocally(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, isLoopback(new URL(url).hostname) ? { ...init, proxy: false } : init);
}

export function isLoopback(hostname: string): boolean {
  return /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost\.?)$/.test(hostname);
}
