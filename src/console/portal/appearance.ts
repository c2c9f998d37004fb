import { computed, effect, signal } from "@preact/signals";
import { setLocale } from "../shared/format";
import { partTexts } from "../shared/texts";
import { isEmbedded, onWish } from "./embedding";
import { textsFor } from "./texts";
import { applyTheme, parseTheme, type Theme } from "./theme";

/** What the portal looks like: a language, and fields of a theme. */
export type Appearance = Readonly<{ lang: string | null; theme: Theme }>;

const NONE: Appearance = { lang: null, theme: {} };
/** As the session says. */
export const sessionAppearance = signal<Appearance>(NONE);
/** As the element around it says, which goes before. */
const wished = signal<Appearance>(NONE);

const chosen = computed(() => {
  const wanted = [wished.value.lang, sessionAppearance.value.lang, ...navigator.languages];
  return textsFor(wanted.filter((each) => each !== null));
});
export const texts = computed(() => chosen.value.texts);

/** Keeps the page as it is wanted, also when that changes. */
export function followAppearance(): void {
  effect(() => {
    const { language, locale, texts: found } = chosen.value;
    setLocale(locale);
    partTexts.value = found;
    document.documentElement.lang = language;
    document.title = found.title;
  });
  effect(() => applyTheme({ ...sessionAppearance.value.theme, ...wished.value.theme }, isEmbedded));
  onWish((wish) => {
    wished.value = appearanceOf(wish);
  });
}

/** Takes what the attributes `lang` and `theme` of the element say: a mode, or the fields of a theme as JSON. */
export function appearanceOf({ lang, theme }: Readonly<{ lang: unknown; theme: unknown }>): Appearance {
  return {
    lang: typeof lang === "string" && lang !== "" ? lang : null,
    theme: typeof theme === "string" ? parseTheme(fieldsIn(theme)) : {},
  };
}

function fieldsIn(theme: string): Record<string, unknown> {
  if (!theme.trim().startsWith("{")) return { mode: theme };
  try {
    return JSON.parse(theme);
  } catch {
    return {};
  }
}

/** Begins with what the link's fragment says beside the token, so that nothing changes after the first paint. */
export function wish(lang: string | null, theme: string | null): void {
  if (lang !== null || theme !== null) wished.value = appearanceOf({ lang, theme });
}
