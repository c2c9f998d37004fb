import { signal } from "@preact/signals";
import { Dialog } from "../shared/dialog";

const isOpen = signal(false);

export function openHelp(): void {
  isOpen.value = true;
}

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["⌘K", "Ctrl K", "/"], "finds customers, endpoints, event types and ids"],
  [["j", "k"], "goes to the next or previous row"],
  [["Enter"], "opens the row"],
  [["g o", "g d", "g e", "g t", "g j"], "goes to overview, deliveries, endpoints, event types, jobs"],
  [["Shift click"], "selects all rows from the last selected one"],
  [["Escape"], "closes what is open"],
  [["?"], "shows this"],
];

/** The keys that work on every page. */
export function Help() {
  if (!isOpen.value) return null;
  const close = () => {
    isOpen.value = false;
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="dialog-body keys-help">
        {KEYS.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
