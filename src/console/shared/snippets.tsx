import { useState } from "preact/hooks";
import { Code } from "./code";
import { LANGUAGES, SNIPPETS } from "./snippet-texts";
import { partTexts } from "./texts";

/** How a receiver verifies a webhook, in the languages that most are written in, with their standard libraries alone. */
export function Snippets() {
  const t = partTexts.value;
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]>(LANGUAGES[0]);
  return (
    <section class="card" aria-label={t.verify}>
      <div class="list-head" role="tablist" aria-label={t.language}>
        <div class="tabs">
          {LANGUAGES.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={each === language}
              class={each === language ? "current" : undefined}
              onClick={() => setLanguage(each)}
            >
              {each}
            </button>
          ))}
        </div>
      </div>
      <Code label={t.verify} text={SNIPPETS[language]} note={t.secretFrom} />
    </section>
  );
}
