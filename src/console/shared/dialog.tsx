import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon";
import { partTexts } from "./texts";

type DialogProps = {
  title: string;
  onClose(): void;
  /** True for a side panel instead of a box in the middle. */
  isPanel?: boolean;
  /** Keeps the dialog open on Escape and on a click beside it. */
  isSticky?: boolean;
  children: ComponentChildren;
};

/** A modal dialog of the browser, which keeps the focus and returns it when it closes. */
export function Dialog({ title, onClose, isPanel = false, isSticky = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    dialog?.showModal();
    // Focuses the first field. The browser would focus the button that closes the dialog.
    dialog?.querySelector<HTMLElement>("input, select, textarea, .dialog-actions button")?.focus();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={isPanel ? "dialog panel" : "dialog"}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        if (!isSticky) onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current && !isSticky) onClose();
      }}
    >
      <div class="inside">
        <header>
          <h2>{title}</h2>
          {!isSticky && (
            <button type="button" class="icon end" aria-label={partTexts.value.close} onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
