import { options } from "preact";

/**
 * The path below which a proxy publishes the service, such as `/hermod`; empty at the root of a host. Everything else in the pages
 * names addresses without it.
 */
export const BASE_PATH = globalThis.document?.documentElement.dataset.base ?? "";

/** Puts the base path in front of the addresses of all links that begin at the root. */
export function linkBelowBasePath(): void {
  const next = options.vnode;
  options.vnode = (vnode) => {
    const props: Record<string, unknown> = vnode.props;
    if (vnode.type === "a" && typeof props.href === "string" && props.href.startsWith("/"))
      props.href = BASE_PATH + props.href;
    next?.(vnode);
  };
}

/** Returns a URL of the browser without the base path. */
export function withoutBasePath(url: URL): URL {
  const inner = new URL(url);
  if (`${url.pathname}/`.startsWith(`${BASE_PATH}/`)) inner.pathname = url.pathname.slice(BASE_PATH.length);
  return inner;
}

/** Returns the browser's URL for one without the base path. */
export function withBasePath(url: URL): URL {
  const outer = new URL(url);
  outer.pathname = BASE_PATH + url.pathname;
  return outer;
}
