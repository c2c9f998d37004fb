import { signal } from "@preact/signals";
import { BASE_PATH } from "./base-path";
import { Code } from "./code";
import { partTexts } from "./texts";

const KEPT_SECONDS = 31_536_000;

/** The language of code that was chosen last, for all code of a page. Stored for a year. */
const chosen = signal(/(?:^|; )hermod-language=([^;]+)/.exec(document.cookie)?.[1] ?? null);

function choose(language: string): void {
  chosen.value = language;
  const [, area = ""] = location.pathname.slice(BASE_PATH.length).split("/");
  document.cookie = `hermod-language=${language}; path=${BASE_PATH}/${area}; max-age=${KEPT_SECONDS}; samesite=strict`;
}

/** Returns the language that was chosen last, or else the first. */
export function languageAmong<Language extends string>(
  languages: readonly [Language, ...Language[]],
): Language {
  return languages.find((each) => each === chosen.value) ?? languages[0];
}

/** Lets a person choose the language of code. `label` names the code. */
export function LanguageTabs({
  label,
  languages,
}: {
  label: string;
  languages: readonly [string, ...string[]];
}) {
  const current = languageAmong(languages);
  return (
    <div class="list-head" role="tablist" aria-label={`${label}: ${partTexts.value.language}`}>
      <div class="tabs">
        {languages.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            aria-selected={each === current}
            class={each === current ? "current" : undefined}
            onClick={() => choose(each)}
          >
            {each}
          </button>
        ))}
      </div>
    </div>
  );
}

type CodeTabsProps = { label: string; note: string; codes: Readonly<Record<string, string>> };

/** Shows the same code in several languages, in the one that was chosen last. */
export function CodeTabs({ label, note, codes }: CodeTabsProps) {
  const [first = "", ...others] = Object.keys(codes);
  return (
    <>
      <LanguageTabs label={label} languages={[first, ...others]} />
      <Code label={label} text={codes[languageAmong([first, ...others])] ?? ""} note={note} />
    </>
  );
}
