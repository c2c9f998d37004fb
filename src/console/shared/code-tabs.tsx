import { signal } from "@preact/signals";
import { BASE_PATH } from "./base-path";
import { Code } from "./code";
import { partTexts } from "./texts";

const KEPT_SECONDS = 31_536_000;

/** The language of code that was chosen last, for all code of a page. Stored for a year. */
const chosen = signal(/(?:^|; )hermod-language=(\w+)/.exec(document.cookie)?.[1] ?? null);

function choose(language: string): void {
  chosen.value = language;
  const [, area = ""] = location.pathname.slice(BASE_PATH.length).split("/");
  document.cookie = `hermod-language=${language}; path=${BASE_PATH}/${area}; max-age=${KEPT_SECONDS}; samesite=strict`;
}

type CodeTabsProps = { label: string; note: string; codes: Readonly<Record<string, string>> };

/** Shows the same code in several languages, in the one that was chosen last. */
export function CodeTabs({ label, note, codes }: CodeTabsProps) {
  const languages = Object.keys(codes);
  const current = languages.find((each) => each === chosen.value) ?? languages[0] ?? "";
  return (
    <>
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
      <Code label={label} text={codes[current] ?? ""} note={note} />
    </>
  );
}
