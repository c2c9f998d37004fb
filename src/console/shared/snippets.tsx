import { useState } from "preact/hooks";
import { Code } from "./code";
import { LANGUAGES, SNIPPETS } from "./snippet-texts";

/** Code with which a receiver verifies a webhook, in common languages, with only their standard libraries. */
export function Snippets({ title = "Verify what arrives" }: { title?: string }) {
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]>(LANGUAGES[0]);
  return (
    <section class="card" aria-label={title}>
      <div class="list-head" role="tablist" aria-label="Language">
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
      <Code
        label={title}
        text={SNIPPETS[language]}
        note="the secret comes from the variable WEBHOOK_SECRET"
      />
    </section>
  );
}
