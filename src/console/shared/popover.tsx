import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

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

/** A button with a panel that opens below it. Escape, a click beside it and moving the focus away close it. */
export function Popover({
  label,
  ariaLabel,
  class: look = "btn",
  kind = "dialog",
  alignEnd,
  children,
}: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useLayoutEffect(() => {
    if (isOpen && button.current && panel.current) place(panel.current, button.current, alignEnd === true);
  });
  // Before the panel is painted: keys that are pressed right after it opened belong to it.
  useLayoutEffect(() => {
    if (!isOpen) return;
    panel.current?.querySelector<HTMLElement>("input, [aria-selected=true], button, a")?.focus();
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!panel.current?.contains(target) && !button.current?.contains(target)) setOpen(false);
    };
    const moved = () =>
      button.current && panel.current && place(panel.current, button.current, alignEnd === true);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    addEventListener("scroll", moved, true);
    addEventListener("resize", moved);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
      removeEventListener("scroll", moved, true);
      removeEventListener("resize", moved);
    };
  }, [isOpen]);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={look}
        aria-label={ariaLabel}
        aria-haspopup={kind}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || isOpen) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {label}
      </button>
      {isOpen && (
        <div
          ref={panel}
          id={id}
          class="popover"
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              close();
            } else if (kind === "menu") moveFocus(event, panel.current);
          }}
        >
          {children(close)}
        </div>
      )}
    </>
  );
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
