import { describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { browserTest, usePages } from "./browser";
import { EXTRA_WIDTH, flawsOf, showIn, watch } from "./page-flaws";

const pages = usePages();

const VARIANTS = [
  { colorScheme: "light", width: 1440, height: 900 },
  { colorScheme: "dark", width: 375, height: 812 },
] as const;

/** From a window of 1280 px at a zoom of 400 % to a wide screen; both sides of each step of the layout. */
const WIDTHS = [320, 480, 640, 760, 761, 900, 1080, 1081, 1237, 2560];

const PAGES = [
  "/console",
  "/console/deliveries",
  "/console/deliveries?status=cancelled&time=1h",
  "/console/deliveries/$failed",
  "/console/deliveries/$waiting",
  "/console/events",
  "/console/endpoints",
  "/console/endpoints/$production",
  "/console/endpoints/$messy",
  "/console/endpoints/new",
  "/console/event-types",
  "/console/event-types/invoice.paid",
  "/console/jobs",
  "/console/keys",
  "/console/connect?port=40000&state=0a&key=0b&machine=laptop",
  "/console/accounts",
  "/console/accounts/$account",
  "/console/all",
  "/console/all?tab=deliveries",
  "/console/all?tab=endpoints",
  "/console/all?tab=events",
  "/console/activity",
  "/console/activity?in=all",
  "/console/system",
  "/console/nowhere",
];

const PORTAL_PAGES = [
  "/portal",
  "/portal/endpoints/new",
  "/portal/deliveries",
  "/portal/deliveries/$failed",
  "/portal/deliveries/$waiting",
  "/portal/events",
];

const filled = (path: string) =>
  path.replace(/\$(\w+)/, (_, name) => pages.hermod[name as "failed" | "messy"].id);

/** Returns what is wrong with the page that is shown, at any width. */
async function flawsIn(page: Page): Promise<Record<string, unknown>> {
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  const flaws: Record<string, unknown> = await tooWide(page);
  for (const { colorScheme, ...size } of VARIANTS) {
    await showIn(page, { colorScheme, ...size });
    const found = await flawsOf(page, colorScheme);
    if (found.length > 0) flaws[`${colorScheme} at ${size.width}`] = found;
  }
  return flaws;
}

/** Returns the widths at which the page is wider than the window, with what sticks out. */
async function tooWide(page: Page): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(DRAWN);
    const extra = await page.evaluate<number>(EXTRA_WIDTH);
    if (extra > 0) found[width] = `${extra} px: ${await page.evaluate<string>(STICKING_OUT)}`;
  }
  return found;
}

/** Resolves once the page has drawn itself at its new width. */
const DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/** The innermost elements that reach beyond the window, unless something around them scrolls or clips. */
const STICKING_OUT = `(() => {
  const isClipped = (each) => {
    for (let at = each.parentElement; at; at = at.parentElement)
      if (at !== document.documentElement && getComputedStyle(at).overflowX !== "visible") return true;
    return false;
  };
  const out = [...document.querySelectorAll("body *")].filter((each) =>
    each.getBoundingClientRect().right > innerWidth + 0.5 && !isClipped(each));
  return out.slice(-3).map((each) => each.outerHTML.slice(0, 120)).join(" | ");
})()`;

/** One tab for all pages, since a browser starts a process for each. */
let tab: Page | undefined;
let seen: () => readonly string[] = () => [];

async function shown(path: string): Promise<Page> {
  if (!tab) {
    tab = await pages.signedIn();
    seen = watch(tab);
  }
  const [{ colorScheme: _, ...size }] = VARIANTS;
  await tab.setViewportSize(size);
  return pages.opened(path, tab);
}

describe("no rule of accessibility or of the content policy is broken, and nothing scrolls sideways", () => {
  browserTest.each(PAGES)("%s", async (path) => {
    const before = seen().length;
    expect(await flawsIn(await shown(filled(path)))).toEqual({});
    expect(seen().slice(before)).toEqual([]);
  });

  browserTest("in the portal", async () => {
    const page = await pages.fresh();
    const seen = watch(page);
    await page.goto(await pages.linkFor({}));
    await page.locator("main h1").waitFor();
    const flaws: Record<string, unknown> = {};
    for (const path of PORTAL_PAGES) {
      await page.goto(filled(path));
      await page.locator("main h1").first().waitFor();
      flaws[path] = await flawsIn(page);
    }
    expect(flaws).toEqual(Object.fromEntries(PORTAL_PAGES.map((path) => [path, {}])));
    expect(seen()).toEqual([]);
    await page.context().close();
  });
});
