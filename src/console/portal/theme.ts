import { currentTheme } from "../shared/theme";

/** The settings of a theme, with the form of each value. Nothing else reaches the page's styles. */
const FORMS = {
  accent: /^#[0-9a-f]{6}$/i,
  accent_dark: /^#[0-9a-f]{6}$/i,
  on_accent: /^#[0-9a-f]{6}$/i,
  background: /^#[0-9a-f]{6}$/i,
  font: /^[\w "',-]{1,120}$/,
  radius: /^(?:\d|1\d|2[0-4])px$/,
  mode: /^(?:light|dark|auto)$/,
} as const;

export type Theme = Readonly<Partial<Record<keyof typeof FORMS, string>>>;

/** Text on a colour needs this contrast (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5;

/** Returns the valid settings of a theme. */
export function parseTheme(given: Readonly<Record<string, unknown>> | null): Theme {
  const names = Object.keys(FORMS) as (keyof typeof FORMS)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given?.[name];
      return typeof value === "string" && FORMS[name].test(value) ? [[name, value]] : [];
    }),
  );
}

/** Returns the colour of text on `back`: the wanted one if it has enough contrast, else black or white. */
export function readableOn(back: string, wanted: string | undefined): string {
  if (wanted !== undefined && contrast(back, wanted) >= LEAST_CONTRAST) return wanted;
  return contrast(back, "#ffffff") >= contrast(back, "#000000") ? "#ffffff" : "#000000";
}

/** Returns the wanted colour, moved towards black or white until it has enough contrast on `back`. */
export function readable(wanted: string, back: string): string {
  const towards = contrast(back, "#ffffff") >= contrast(back, "#000000") ? 255 : 0;
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = hex(channels(wanted).map((each) => each + (towards - each) * share));
    if (contrast(mixed, back) >= LEAST_CONTRAST) return mixed;
  }
  return towards === 255 ? "#ffffff" : "#000000";
}

export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((each) => {
    const part = each / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((each) => Math.round(each).toString(16).padStart(2, "0")).join("")}`;
}

const SURFACES = { light: "#ffffff", dark: "#151516" } as const;

/** The theme that is shown. */
let shown: Theme = {};

/** Applies a theme through the CSSOM, which the content policy allows. In its own tab, the person's choice goes before. */
export function applyTheme(theme: Theme, isEmbedded: boolean): void {
  const { dataset } = document.documentElement;
  const mode = theme.mode === "light" || theme.mode === "dark" ? theme.mode : undefined;
  if (mode !== undefined && (isEmbedded || dataset.theme === undefined)) dataset.theme = mode;
  else if (isEmbedded) delete dataset.theme;
  shown = theme;
  paint();
}

/** Paints again when the page or the browser changes between light and dark. */
export function followTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  new MutationObserver(paint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

/** Sets the properties of the shown theme, and removes those of an earlier one. */
function paint(): void {
  const root = document.documentElement;
  const isDark = currentTheme() === "dark";
  const accent = (isDark ? shown.accent_dark : undefined) ?? shown.accent;
  const properties: Readonly<Record<string, string | undefined>> = {
    "--solid": accent,
    "--on-solid": accent && readableOn(accent, shown.on_accent),
    "--accent": accent,
    "--accent-ink": accent && readable(accent, SURFACES[isDark ? "dark" : "light"]),
    "--canvas": isDark ? undefined : shown.background,
    "--sans": shown.font && `${shown.font}, ui-sans-serif, system-ui, sans-serif`,
    "--radius": shown.radius,
    "--radius-l": shown.radius,
  };
  for (const [name, value] of Object.entries(properties))
    if (value === undefined) root.style.removeProperty(name);
    else root.style.setProperty(name, value);
}
