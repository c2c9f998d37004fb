import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isSuccess } from "./answer";
import { HermodError, HermodUnreachable } from "./api";
import { count, countdown, moment, utc } from "./format";
import { Icon } from "./icon";
import type { Look } from "./look";
import { now } from "./server-clock";
import { partTexts } from "./texts";
import { say } from "./toast";
import { visible } from "./visible-text";

/** A status with icon, colour and word, since some people don't see colours. */
export function State({ look }: { look: Look }) {
  return (
    <span class={`state ${look.tone}`}>
      <Icon name={look.icon} small />
      <span>{look.word}</span>
    </span>
  );
}

export function Pill({ look, children }: { look: Look; children?: ComponentChildren }) {
  return (
    <span class={`pill ${look.tone}`}>
      <Icon name={look.icon} small />
      {children ?? look.word}
    </span>
  );
}

/** A time in the zone that is shown (`isUtc`); in UTC with milliseconds on hover. */
export function Time({ at, seconds = true }: { at: string; seconds?: boolean }) {
  const ms = Date.parse(at);
  return (
    <time class="num" dateTime={at} title={utc(ms)}>
      {moment(ms, now.value, { seconds })}
    </time>
  );
}

/** A countdown to a time. At zero it shows `now`, until the page has new data. */
export function Countdown({
  until,
  from,
  ring = true,
}: {
  until: string;
  from?: string | null;
  ring?: boolean;
}) {
  const left = Date.parse(until) - now.value;
  return (
    <span class="countdown num">
      {ring && <Ring share={from ? left / Math.max(1, Date.parse(until) - Date.parse(from)) : 1} />}
      {left <= 0 ? partTexts.value.now : countdown(left)}
    </span>
  );
}

const LENGTH = 2 * Math.PI * 6;

export function Ring({ share }: { share: number }) {
  const shown = Math.min(1, Math.max(0, share));
  return (
    <svg class="ring" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" class="track" />
      <circle
        cx="8"
        cy="8"
        r="6"
        class="rest"
        stroke-dasharray={`${LENGTH * shown} ${LENGTH}`}
        transform="rotate(-90 8 8)"
      />
    </svg>
  );
}

/** An HTTP status, or words for no answer. */
export function Answer({ status }: { status: number | null }) {
  if (status === null) return <span class="faint">–</span>;
  if (status === 0) return <span class="bad">{partTexts.value.noAnswer}</span>;
  return <span class={`mono ${isSuccess(status) ? "dim" : "bad"}`}>{status}</span>;
}

export function CopyButton({ text, label = partTexts.value.copy }: { text: string; label?: string }) {
  const isDone = useSignal(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    isDone.value = true;
    setTimeout(() => {
      isDone.value = false;
    }, 1_500);
  };
  return (
    <button
      type="button"
      class={isDone.value ? "icon done" : "icon"}
      aria-label={label}
      title={label}
      onClick={copy}
    >
      <Icon name={isDone.value ? "tick" : "copy"} small />
    </button>
  );
}

/** Copies a text. Shows a message if the browser refuses, since the clipboard needs https or loopback. */
export async function copyText(text: string, done?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    if (done) say(done);
    return true;
  } catch {
    say(partTexts.value.cantCopy);
    return false;
  }
}

/** An id that a click copies. */
export function Id({ id, short }: { id: string; short?: string }) {
  return (
    <span class="id">
      <code title={visible(id)}>{visible(short ?? id)}</code>
      <CopyButton text={id} label={partTexts.value.copyOf(visible(id))} />
    </span>
  );
}

/** Shows a failed load and its reason, with a button to try again. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div class="note bad" role="alert">
      <Icon name="alert" />
      <p>{problemText(error)}</p>
      {retry && (
        <button type="button" class="btn sm" onClick={retry}>
          {partTexts.value.tryAgain}
        </button>
      )}
    </div>
  );
}

/** An entry is wrong. The message says how. */
export class WrongEntry extends Error {}

export function problemText(error: unknown): string {
  if (error instanceof WrongEntry) return error.message;
  const t = partTexts.value;
  if (error instanceof HermodUnreachable) return t.unreachable;
  if (!(error instanceof HermodError)) return t.pageFailed;
  if (error.code === "CELL_UNAVAILABLE") return visible(error.message);
  if (error.status === 503) return t.noDatabase;
  if (error.status === 429 && error.retryAfter !== null) return t.tooMany(count(error.retryAfter));
  return t.refused(visible(error.message));
}

/** The reason for which a form was refused, under its fields. */
export function FieldProblem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p class="field-problem" role="alert">
      {text}
    </p>
  );
}

/** Grey bars of the height that the content will have; they appear only if it takes a moment. */
export function Skeleton({ rows = 6, height = 40 }: { rows?: number; height?: number }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div
      class="skeleton"
      aria-busy="true"
      aria-label={partTexts.value.loading}
      role="img"
      style={{ height: `${rows * height}px` }}
    >
      {isSlow &&
        Array.from({ length: rows }, (_, index) => <i key={index} style={{ height: `${height}px` }} />)}
    </div>
  );
}

/** Shows that a list or page is empty, and the next step. As a whole page it has the page's heading. */
export function Empty({
  title,
  isPage = false,
  children,
}: {
  title: string;
  isPage?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

type CardProps = {
  title?: ComponentChildren;
  meta?: ComponentChildren;
  actions?: ComponentChildren;
  label?: string;
  class?: string;
  children: ComponentChildren;
};

export function Card({ title, meta, actions, label, children, class: extra = "" }: CardProps) {
  return (
    <section class={`card ${extra}`} aria-label={label}>
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {meta && <span class="meta">{meta}</span>}
          {actions && <span class="end row">{actions}</span>}
        </header>
      )}
      {children}
    </section>
  );
}

export type NamedValue = readonly [name: string, value: ComponentChildren];

/** Names with their values, in columns. */
export function Facts({ facts }: { facts: readonly NamedValue[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export type Tab = Readonly<{ href: string; label: string; count?: ComponentChildren; isCurrent: boolean }>;

export function Tabs({ tabs, label }: { tabs: readonly Tab[]; label: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.label} href={tab.href} aria-current={tab.isCurrent ? "true" : undefined}>
          {tab.label}
          {tab.count !== undefined && (
            <span class="num">{typeof tab.count === "number" ? count(tab.count) : tab.count}</span>
          )}
        </a>
      ))}
    </nav>
  );
}

export function EditButton({ open }: { open(): void }) {
  return (
    <button type="button" class="btn sm" onClick={open}>
      <Icon name="edit" small />
      Edit
    </button>
  );
}
