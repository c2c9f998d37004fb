import { computed, effect, signal } from "@preact/signals";
import { setLocale } from "../shared/format";
import { partTexts } from "../shared/texts";
import { isEmbedded, onAppearance } from "./embedding";
import { textsFor } from "./texts";
import { applyTheme, followTheme, parseTheme, type Theme } from "./theme";

/** The look of the portal: a language, and fields of a theme. */
export type Appearance = Readonly<{ lang: string | null; theme: Theme }>;

const NONE: Appearance = { lang: null, theme: {} };
/** The appearance in the session. */
export const sessionAppearance = signal<Appearance>(NONE);
/** The attributes of the embedding element. They override the session's. */
const elementAppearance = signal<Appearance>(NONE);

const chosen = computed(() => {
  const wanted = [elementAppearance.value.lang, sessionAppearance.value.lang, ...navigator.languages];
  return textsFor(wanted.filter((each) => each !== null));
});
export const texts = computed(() => chosen.value.texts);

/** Applies the language and the theme, and follows their changes. */
export function followAppearance(): void {
  effect(() => {
    const { language, locale, texts: found } = chosen.value;
    setLocale(locale);
    partTexts.value = found;
    document.documentElement.lang = language;
    document.title = found.title;
  });
  effect(() =>
    applyTheme({ ...sessionAppearance.value.theme, ...elementAppearance.value.theme }, isEmbedded),
  );
  followTheme();
  onAppearance((attributes) => {
    elementAppearance.value = appearanceOf(attributes);
  });
}

/** Parses the attributes `lang` and `theme`: a mode, or the fields of a theme as JSON. */
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

/** Sets the appearance from the link's fragment, so that nothing changes after the first paint. */
export function startWith(lang: string | null, theme: string | null): void {
  if (lang !== null || theme !== null) elementAppearance.value = appearanceOf({ lang, theme });
}
