import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { partTexts } from "./texts";
import { visible } from "./visible-text";

export type Option = Readonly<{ value: string; label: string; detail?: string }>;

type ChoiceProps = {
  /** The name of the choice, for screen readers. */
  name: string;
  options: readonly Option[];
  value: string;
  /** The content of the button. */
  shown: ComponentChildren;
  onChoose(value: string): void;
  class?: string;
  /** Returns an option for a text that is no option, such as a pattern. */
  free?: (text: string) => Option | null;
  children?: ComponentChildren;
};

/** Most options that are drawn. Typing narrows the others. */
const DRAWN = 60;

/** Chooses one of many options, with a search field if there are more than a few. */
export function Choice({
  name,
  options,
  value,
  shown,
  onChoose,
  class: look = "choice",
  free,
  children,
}: ChoiceProps) {
  const label = (
    <>
      <span class="trunc">{shown}</span>
      <Icon name="down" small />
    </>
  );
  return (
    <Popover
      label={label}
      ariaLabel={typeof shown === "string" ? `${name}: ${shown}` : undefined}
      class={look}
      kind="listbox"
    >
      {(close) => (
        <Options
          name={name}
          options={options}
          value={value}
          free={free}
          onChoose={(chosen) => {
            close();
            onChoose(chosen);
          }}
        >
          {children}
        </Options>
      )}
    </Popover>
  );
}

type OptionsProps = Pick<ChoiceProps, "name" | "options" | "value" | "onChoose" | "free" | "children">;

function Options({ name, options, value, onChoose, free, children }: OptionsProps) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      options.findIndex((each) => each.value === value),
    ),
  );
  const id = useId();
  const found = filtered(options, text, free);
  const hasSearch = options.length > 7 || free !== undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    const last = Math.min(found.length, DRAWN) - 1;
    if (event.key === "ArrowDown") setAt(Math.min(last, at + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
    else if (event.key === "Enter" && found[at]) onChoose(found[at].value);
    else return;
    event.preventDefault();
  };
  return (
    <div class="options">
      <input
        type="text"
        class={hasSearch ? "search" : "sr"}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        aria-label={name}
        placeholder={partTexts.value.search}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label={name}>
        {found.slice(0, DRAWN).map((option, index) => (
          <OptionItem
            key={option.value}
            id={`${id}-${index}`}
            option={option}
            isChosen={option.value === value}
            isAt={index === at}
            onPoint={() => setAt(index)}
            onChoose={onChoose}
          />
        ))}
      </ul>
      {found.length > DRAWN && <p class="none">{partTexts.value.andOthers(found.length - DRAWN)}</p>}
      {found.length === 0 && <p class="none">{partTexts.value.nothingMatches}</p>}
      {children}
    </div>
  );
}

type OptionItemProps = Pick<ChoiceProps, "onChoose"> & {
  id: string;
  option: Option;
  isChosen: boolean;
  /** True if Enter chooses it. */
  isAt: boolean;
  onPoint(): void;
};

function OptionItem({ id, option, isChosen, isAt, onPoint, onChoose }: OptionItemProps) {
  const { value, label, detail } = option;
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      class={isAt ? "at" : undefined}
      // Keeps the focus in the list: losing it would close the list before the click.
      onMouseDown={(event) => event.preventDefault()}
      onPointerMove={onPoint}
      onClick={() => onChoose(value)}
    >
      <span class="trunc">{visible(label)}</span>
      {detail && <small class="trunc">{visible(detail)}</small>}
    </li>
  );
}

function filtered(options: readonly Option[], text: string, free: ChoiceProps["free"]): readonly Option[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return options;
  const found = options.filter(({ label, detail = "" }) =>
    `${label} ${detail}`.toLowerCase().includes(wanted),
  );
  const own = free?.(text.trim()) ?? null;
  return own && !found.some(({ value }) => value === own.value) ? [...found, own] : found;
}
