import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { HermodError, HermodUnreachable } from "./api";

/** The state of an answer. After a failure the last data stays. */
export type Resource<T> = Readonly<{
  data: T | null;
  error: HermodError | HermodUnreachable | null;
  isLoading: boolean;
  /** The time at which `data` arrived; 0 before. */
  at: number;
}>;

type SharedResource = {
  state: Signal<Resource<unknown>>;
  load: () => Promise<unknown>;
  users: number;
  running: number;
  /** The duration of the last load in milliseconds. */
  tookMs: number;
};

const EMPTY: Resource<never> = { data: null, error: null, isLoading: true, at: 0 };
/** Most unused answers that are kept, to show them at once when a page comes back. */
const KEPT = 60;
const entries = new Map<string, SharedResource>();

export type ResourceOptions = {
  /** Interval of reloads in milliseconds, while the page is visible. */
  every?: number;
  /** Age up to which an answer is not loaded again when a page comes to show it, in milliseconds. */
  keptMs?: number;
};

/**
 * Loads an answer and keeps it under a key, so that pages show it at once when they come back. Loads nothing if the key is null.
 */
export function useResource<T>(
  key: string | null,
  load: () => Promise<T>,
  { every, keptMs = 0 }: ResourceOptions = {},
): Resource<T> & { reload(): void } {
  const entry = useMemo(() => (key === null ? null : entryOf(key, load)), [key]);
  if (entry) entry.load = load;
  useEffect(() => {
    if (!entry) return;
    entry.users++;
    const { at, error } = entry.state.peek();
    if (error !== null || Date.now() - at >= keptMs) void refresh(entry);
    const look = () => {
      const { at, error } = entry.state.peek();
      if (!document.hidden && !isGone(error) && isDue(Date.now() - at, entry.tookMs)) void refresh(entry);
    };
    const timer = every === undefined ? null : setInterval(look, every);
    return () => {
      entry.users--;
      if (timer !== null) clearInterval(timer);
    };
  }, [entry, every]);
  const state = (entry?.state.value ?? { ...EMPTY, isLoading: false }) as Resource<T>;
  return { ...state, reload: () => entry && void refresh(entry) };
}

/** Least age of an answer at which it is loaded again, in durations of its last load: thousands of rows take seconds. */
const LOADS_APART = 10;

/** True if an answer of this age may be loaded again by itself. */
export function isDue(ageMs: number, tookMs: number): boolean {
  return ageMs >= LOADS_APART * tookMs;
}

/** True if the service has nothing of this name. It would answer the same the next time. */
export function isGone(error: Resource<unknown>["error"]): boolean {
  return error !== null && "status" in error && error.status === 404;
}

/** Reloads the answers of visible pages whose key has this prefix, after a change. */
export function invalidate(...prefixes: readonly string[]): void {
  for (const [key, entry] of entries) {
    if (!prefixes.some((prefix) => key.startsWith(prefix))) continue;
    if (entry.users > 0) void refresh(entry);
    else entries.delete(key);
  }
}

/** Removes all answers, for another account or person. */
export function forgetAll(): void {
  for (const [key, { users }] of entries) if (users === 0) entries.delete(key);
}

function entryOf(key: string, load: () => Promise<unknown>): SharedResource {
  const known = entries.get(key);
  if (known) {
    entries.delete(key);
    entries.set(key, known);
    return known;
  }
  const entry: SharedResource = {
    state: signal<Resource<unknown>>(EMPTY),
    load,
    users: 0,
    running: 0,
    tookMs: 0,
  };
  entries.set(key, entry);
  for (const [old, { users }] of entries) {
    if (entries.size <= KEPT) break;
    if (users === 0 && old !== key) entries.delete(old);
  }
  return entry;
}

/** Loads once. Drops a slower answer to an earlier request. */
async function refresh(entry: SharedResource): Promise<void> {
  const run = ++entry.running;
  const begun = Date.now();
  entry.state.value = { ...entry.state.peek(), isLoading: true };
  try {
    const data = await entry.load();
    if (run !== entry.running) return;
    entry.tookMs = Date.now() - begun;
    entry.state.value = { data, error: null, isLoading: false, at: Date.now() };
  } catch (error) {
    const known = entry.state.peek();
    if (run === entry.running)
      entry.state.value = { ...known, error: error as HermodError, isLoading: false };
  }
}
