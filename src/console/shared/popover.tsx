import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

type PopoverProps = {
  /** The content of the button. */
  label: ComponentChildren;
  /** The name for screen readers, if the label is not enough. It must contain the visible words. */
  ariaLabel?: string;
  class?: string;
  kind?: "menu" | "listbox" | "dialog";
  alignEnd?: boolean;
  children: (close: () => void) => ComponentChildren;
};

/**
 * A button with a panel that opens below it, a popover of the browser: Escape, and a press beside it, close it and give the focus
 * back.
 */
export function Popover(props: PopoverProps) {
  const { label, ariaLabel, class: look = "btn", kind = "dialog", alignEnd = false, children } = props;
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  usePlace(panel, button, isOpen, alignEnd);
  const open = (event: Event) => {
    if (isOpen) return;
    // The browser's own answer to the press would close the panel that is there by then.
    event.preventDefault();
    setOpen(true);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={look}
        aria-label={ariaLabel}
        aria-haspopup={kind}
        aria-expanded={isOpen}
        popovertarget={isOpen ? id : undefined}
        onClick={open}
        onKeyDown={(event) => event.key === "ArrowDown" && open(event)}
      >
        {label}
      </button>
      {isOpen && (
        <div
          ref={panel}
          id={id}
          class="popover"
          popover="auto"
          onToggle={({ newState }) => newState === "closed" && setOpen(false)}
          onKeyDown={(event) => kind === "menu" && moveFocus(event, panel.current)}
        >
          {children(() => panel.current?.hidePopover())}
        </div>
      )}
    </>
  );
}

type Of<T> = { current: T | null };

/** Shows the panel at the button, and keeps it there. */
function usePlace(panel: Of<HTMLElement>, button: Of<HTMLElement>, isOpen: boolean, alignEnd: boolean): void {
  const at = () => panel.current && button.current && place(panel.current, button.current, alignEnd);
  // Before the panel is painted: keys that are pressed right after it opened belong to it.
  useLayoutEffect(() => {
    if (!isOpen) return;
    panel.current?.showPopover();
    at();
    panel.current?.querySelector<HTMLElement>("input, [aria-selected=true], button, a")?.focus();
    addEventListener("scroll", at, true);
    addEventListener("resize", at);
    return () => {
      removeEventListener("scroll", at, true);
      removeEventListener("resize", at);
    };
  }, [isOpen]);
  useLayoutEffect(() => {
    if (isOpen) at();
  });
}

/** Places the panel below the button, or above it if there is more space, within the window. */
function place(panel: HTMLElement, button: HTMLElement, alignEnd: boolean): void {
  const anchor = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const wanted = alignEnd ? anchor.right - width : anchor.left;
  const left = Math.max(8, Math.min(wanted, document.documentElement.clientWidth - width - 8));
  const fits = anchor.bottom + 4 + height <= innerHeight - 8;
  const top = fits ? anchor.bottom + 4 : Math.max(8, anchor.top - 4 - height);
  panel.style.left = `${left}px`;
  panel.style.top = `${top}px`;
}

/** Arrow keys move between the items of a menu. */
function moveFocus(event: KeyboardEvent, panel: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || panel === null) return;
  event.preventDefault();
  const items = [...panel.querySelectorAll<HTMLElement>("button, a")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}

export type MenuItem = Readonly<{ label: string; isDanger?: boolean; act(): void }>;

export function Menu({
  items,
  label,
  children,
}: {
  items: readonly MenuItem[];
  label: string;
  children: ComponentChildren;
}) {
  return (
    <Popover label={children} ariaLabel={label} class="icon" kind="menu" alignEnd>
      {(close) => (
        <div role="menu" class="menu" aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              class={item.isDanger ? "danger" : undefined}
              onClick={() => {
                close();
                item.act();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}
