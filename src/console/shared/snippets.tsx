import { CodeTabs } from "./code-tabs";
import { partTexts } from "./texts";
import verifiers from "./verifiers.json";

/** How a receiver verifies a webhook, by functions to copy. */
export function Snippets() {
  const t = partTexts.value;
  return (
    <section class="card" aria-label={t.verify}>
      <CodeTabs label={t.verify} codes={verifiers} note={t.secretFrom} />
    </section>
  );
}
