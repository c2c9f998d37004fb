import { CodeTabs } from "./code-tabs";
import { SNIPPETS } from "./snippet-texts";
import { partTexts } from "./texts";

/** How a receiver verifies a webhook, in the languages that most are written in, with their standard libraries alone. */
export function Snippets() {
  const t = partTexts.value;
  return (
    <section class="card" aria-label={t.verify}>
      <CodeTabs label={t.verify} codes={SNIPPETS} note={t.secretFrom} />
    </section>
  );
}
