import { signal } from "@preact/signals";
import { partTexts } from "./texts";

type Toast = Readonly<{ id: number; text: string; undo: (() => void) | null }>;

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

const SHOWN_MS = 5_000;

function show(text: string, undo: (() => void) | null): () => void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-2), { id, text, undo }];
  const close = () => {
    toasts.value = toasts.value.filter((each) => each.id !== id);
  };
  setTimeout(close, SHOWN_MS);
  return close;
}

/** Shows a message for a moment. */
export function say(text: string): void {
  show(text, null);
}

/** Runs the action after 5 s unless it is undone. Leaving the page runs it at once. */
export function actUnlessUndone(text: string, act: () => void): void {
  const finish = () => {
    clearTimeout(timer);
    removeEventListener("pagehide", finish);
    close();
    act();
  };
  const timer = setTimeout(finish, SHOWN_MS);
  const close = show(text, () => {
    clearTimeout(timer);
    removeEventListener("pagehide", finish);
    close();
  });
  addEventListener("pagehide", finish);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo }) => (
        <div class="toast" key={id}>
          <span>{text}</span>
          {undo && (
            <button type="button" class="btn sm" onClick={undo}>
              {partTexts.value.undo}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
