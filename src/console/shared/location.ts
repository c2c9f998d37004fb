import { computed, signal } from "@preact/signals";
import { BASE_PATH, withBasePath, withoutBasePath } from "./base-path";

/** The page's URL, without the base path. It has filters, tabs, rows and ranges, so that a link shows the same view. */
export const url = signal(withoutBasePath(new URL(location.href)));
export const path = computed(() => url.value.pathname.replace(/(?<!\/)\/+$/, ""));
export const params = computed(() => url.value.searchParams);

export type Changes = Readonly<Record<string, string | null | undefined>>;

export function go(to: string, { replace = false, keepScroll = false } = {}): void {
  const next = withoutBasePath(new URL(to, location.href));
  if (next.href === url.value.href) return;
  if (replace) history.replaceState(null, "", withBasePath(next));
  else {
    history.replaceState({ top: scrollY }, "");
    history.pushState(null, "", withBasePath(next));
  }
  url.value = next;
  if (!keepScroll) scrollTo(0, 0);
}

/** Returns this page's URL with changed parameters; null removes a parameter. */
export function withParams(changes: Changes): string {
  const next = new URL(url.value);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === undefined || value === "") next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  return next.pathname + next.search;
}

export function setParams(changes: Changes, { replace = true } = {}): void {
  go(withParams(changes), { replace, keepScroll: true });
}

/** Parameters that every internal link keeps. */
const KEPT = ["account", "cell"];

/** Removes all other parameters, so that the page shows its whole list again. */
export function clearParams(): void {
  const others = [...params.value.keys()].filter((name) => !KEPT.includes(name));
  setParams(Object.fromEntries(others.map((name) => [name, null])), { replace: false });
}

/** Returns the URL of another page. */
export function linkTo(pathname: string, query: Changes = {}): string {
  const next = new URLSearchParams();
  for (const name of KEPT) {
    const value = params.value.get(name);
    if (value !== null) next.set(name, value);
  }
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  }
  return next.size === 0 ? pathname : `${pathname}?${next}`;
}

/** Matches the path against a pattern such as `/console/deliveries/:id`. Returns its parameters, or null. */
export function match(pattern: string, pathname: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split("/"), pathname.split("/")];
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) found[part.slice(1)] = decoded(value);
    else if (part !== value) return null;
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("popstate", ({ state }: PopStateEvent) => {
  url.value = withoutBasePath(new URL(location.href));
  if (typeof state?.top === "number" && state.top > 0) scrollBackTo(state.top);
});

/** Scrolls to where the page was left, while it grows to that height again, unless somebody scrolls first. */
function scrollBackTo(top: number): void {
  const ended = new AbortController();
  const end = () => ended.abort();
  const observer = new ResizeObserver(() => {
    scrollTo(0, top);
    if (Math.abs(scrollY - top) < 1) end();
  });
  ended.signal.addEventListener("abort", () => observer.disconnect());
  for (const name of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(name, end, { signal: ended.signal, passive: true });
  observer.observe(document.body);
}

/** Follows links within the application without a reload. */
export function followLinks(root: string): void {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const anchor = (event.target as Element).closest("a");
    if (!anchor || anchor.target || anchor.origin !== location.origin) return;
    if (anchor.hasAttribute("download") || !`${anchor.pathname}/`.startsWith(BASE_PATH + root)) return;
    event.preventDefault();
    go(anchor.href);
  });
}
