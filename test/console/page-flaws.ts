import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const AXE = await Bun.file(fileURLToPath(import.meta.resolve("axe-core/axe.min.js"))).text();

/** Dark pages have the structure of light ones: only their colours differ. */
const RULES = {
  light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  dark: ["color-contrast", "target-size"],
} as const;

/** Runs axe in the page. As text: the checker of this file knows no browser. */
const run = (theme: keyof typeof RULES) => `(async () => {
  const runOnly = ${JSON.stringify(RULES[theme])};
  // Describing what keeps a rule takes longer than checking it.
  const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => id + ": " + html.slice(0, 160) + " " + failureSummary));
})()`;

/** By how much a page is wider than the window. */
export const EXTRA_WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/** Collects what a page should never do: errors, and violations of its content policy. */
export function watch(page: Page): () => readonly string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(String(error.stack)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.push(message.text());
  });
  return () => seen;
}

/** Shows the page in a window of this size and theme. Resolves once the page knows its theme, and has drawn itself. */
export async function showIn(
  page: Page,
  { colorScheme, width, height }: { colorScheme: keyof typeof RULES; width: number; height: number },
): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  // A page hears of a change in the frame in which the query has its new value, before that frame's callbacks.
  await page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    while (!matchMedia("(prefers-color-scheme: ${colorScheme})").matches) await frame();
    await frame();
    await frame();
  })()`);
}

/** Returns what axe finds, and whether the page is wider than the window. */
export async function flawsOf(page: Page, theme: keyof typeof RULES): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  const found = await page.evaluate<string[]>(run(theme));
  const extra = await page.evaluate<number>(EXTRA_WIDTH);
  return extra > 0 ? [...found, `the page is ${extra} px too wide`] : found;
}
