import { signal } from "@preact/signals";
import { useId, useState } from "preact/hooks";
import { useEndpoints, useEventTypes } from "../pages/endpoint-data";
import { Dialog } from "../shared/dialog";
import { nameOf } from "../shared/endpoint-name";
import { Icon } from "../shared/icon";
import { go, linkTo, url } from "../shared/location";
import { visible } from "../shared/visible-text";
import { useAccounts } from "./data";
import { openHelp } from "./help";
import { singleKeys } from "./single-keys";
import { type Found, understand } from "./understand";

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

export function Palette() {
  return isOpen.value ? <Open /> : null;
}

/** Returns what a text may mean. */
function useFound(text: string): readonly Found[] {
  const endpoints = useEndpoints().data ?? [];
  const types = useEventTypes().data ?? [];
  const accounts = useAccounts().data ?? [];
  return understand(text, {
    accounts: accounts.map((each) => ({ id: each.id, name: each.name, also: each.external_id ?? "" })),
    endpoints: endpoints.map((each) => ({
      id: each.id,
      name: nameOf(each),
      also: `${each.url} ${each.external_id ?? ""}`,
    })),
    types: types.map(({ event_type }) => event_type),
  });
}

/** Finds pages, customers, endpoints, event types and ids, and deliveries by a question in a few words. */
function Open() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const found = useFound(text);
  const close = () => {
    isOpen.value = false;
  };
  const open = (chosen: Found | undefined) => {
    if (!chosen) return;
    close();
    go(linkTo(chosen.path, chosen.query));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
    else if (event.key === "Enter") open(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find anything" onClose={close}>
      <div class="palette">
        <div class="field">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
            aria-label="Find anything"
            placeholder="A customer, an event, an id: kestrel invoice.paid this morning"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <Entries id={id} found={found} at={at} onPoint={setAt} onOpen={open} />
      </div>
    </Dialog>
  );
}

type EntriesProps = {
  id: string;
  found: readonly Found[];
  at: number;
  onPoint(index: number): void;
  onOpen(chosen: Found): void;
};

function Entries({ id, found, at, onPoint, onOpen }: EntriesProps) {
  return (
    <>
      <ul id={id} role="listbox" aria-label="Found">
        {found.map((each, index) => (
          <li
            key={`${each.path} ${JSON.stringify(each.query)}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            class={index === at ? "at" : undefined}
            onPointerMove={() => onPoint(index)}
            onClick={() => onOpen(each)}
          >
            <Icon name={each.icon} />
            <span class="trunc">{visible(each.label)}</span>
            {each.detail && <small class="trunc">{visible(each.detail)}</small>}
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p class="none">Nothing is called that. Deliveries are found by their id, wh_….</p>
      )}
    </>
  );
}

/** The letters that open a page after `g`. */
const PAGES: Readonly<Record<string, string>> = {
  o: "/console",
  d: "/console/deliveries",
  e: "/console/endpoints",
  t: "/console/event-types",
  j: "/console/jobs",
};

let afterG = Number.NEGATIVE_INFINITY;

/** Adds the shortcuts that work on every page. */
export function listenForKeys(): void {
  document.addEventListener("keydown", (event) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
      return;
    }
    if (!singleKeys.value || isOpen.value || isTyping(event.target)) return;
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const page = performance.now() - afterG < 1_000 ? PAGES[event.key] : undefined;
    afterG = event.key === "g" ? performance.now() : Number.NEGATIVE_INFINITY;
    if (page !== undefined && url.value.pathname !== page) go(linkTo(page));
    else if (event.key === "/") {
      event.preventDefault();
      openPalette();
    } else if (event.key === "?") openHelp();
    else if (event.key === "j" || event.key === "k") moveRow(event.key === "j" ? 1 : -1);
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog") !== null
  );
}

/** Moves the focus to the next or previous row's link. */
function moveRow(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>("[data-row] a.row-link")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}
