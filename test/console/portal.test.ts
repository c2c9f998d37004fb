import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Browser, chromium, type Page } from "playwright-core";
import type { components } from "../../src/client/openapi";
import { until } from "../support/faults/until";
import { CHROMIUM } from "./chromium";
import { ADMIN_KEY, type Installation, openInstallation } from "./installation";
import { flawsOf, watch } from "./page-flaws";

const browserTest = test.skipIf(CHROMIUM === null);

let hermod: Installation;
let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM === null) return;
  [hermod, browser] = await Promise.all([
    openInstallation(),
    chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] }),
  ]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await hermod?.close();
}, 60_000);

const ALL = ["view", "manage_endpoints", "retry", "view_payloads", "test"];

async function linkFor(session: object): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({ account: hermod.account.id, capabilities: ALL, ...session });
  const answer = await fetch(`${hermod.url}/v1/portal-sessions`, { method: "POST", headers, body });
  const link = (await answer.json()) as components["schemas"]["PortalLink"];
  expect(answer.status).toBe(201);
  return link.url;
}

async function freshPage(): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage();
  page.setDefaultTimeout(10_000);
  return page;
}

browserTest("a customer sees why nothing arrives, and sends it again", async () => {
  const page = await freshPage();
  const seen = watch(page);
  await page.goto(await linkFor({ product_name: "Acme", theme: { accent: "#0f766e" } }));
  await page.getByText("Your server has answered 503 Service Unavailable").waitFor();
  await page.getByText("The addresses of your servers that Acme sends events to.").waitFor();
  // The token works once, and stays in no history.
  expect(page.url()).toBe(`${hermod.url}/portal`);
  expect(await page.evaluate("getComputedStyle(document.querySelector('.lead .btn')).backgroundColor")).toBe(
    "rgb(15, 118, 110)",
  );
  hermod.repair();
  const production = page.locator(".portal-list > li", { hasText: "Production" });
  await production.getByRole("button", { name: "Retry now" }).click();
  await production.getByText("Healthy").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Endpoints" }).waitFor();
  expect(await page.content()).not.toMatch(/hermod(?!-)/i);
  expect(seen()).toEqual([]);
  await page.context().close();
});

browserTest(
  "the portal speaks the session's language, and breaks no rule of accessibility",
  async () => {
    const page = await freshPage();
    await page.goto(await linkFor({ locale: "de", theme: { accent: "#ffff00" } }));
    await page.getByRole("heading", { name: "Endpunkte" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    const flaws: Record<string, unknown> = {};
    for (const path of [
      "/portal",
      "/portal/endpoints/new",
      "/portal/deliveries",
      `/portal/deliveries/${hermod.failed.id}`,
      "/portal/events",
    ]) {
      await page.goto(hermod.url + path);
      await page.locator("h1").first().waitFor();
      await page.locator(".skeleton").first().waitFor({ state: "detached" });
      for (const [colorScheme, width] of [
        ["light", 1200],
        ["dark", 1200],
        ["dark", 375],
        ["light", 320],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 812 });
        const found = await flawsOf(page, colorScheme);
        if (found.length > 0) flaws[`${path}, ${colorScheme} at ${width}`] = found;
      }
    }
    expect(flaws).toEqual({});
    await page.context().close();
  },
  60_000,
);

browserTest("a customer changes the address and the events of an endpoint", async () => {
  const { id } = await hermod.client.endpoints.create({ url: "http://127.0.0.1:9/old", event_filter: "a.*" });
  const page = await freshPage();
  await page.goto(await linkFor({ endpoint_ids: [id] }));
  await page.locator(".portal-actions button[aria-haspopup=menu]").click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Settings" });
  await dialog.getByLabel("Events").fill("a.*|b");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("URL").fill("http://127.0.0.1:9/new");
  await dialog.getByLabel("Name").fill("Billing");
  await dialog.getByLabel("Events").fill("a.*, b");
  expect(await flawsOf(page, "light")).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Billing" }).waitFor();
  const changed = await hermod.client.endpoints.get(id);
  expect(changed).toMatchObject({ url: "http://127.0.0.1:9/new", event_types: ["a.*", "b"] });
  await hermod.client.endpoints.delete(id);
  await page.context().close();
});

browserTest("a customer resends everything that failed, once its number is known", async () => {
  const page = await freshPage();
  await page.goto(await linkFor({ locale: "de" }));
  await page.getByRole("heading", { name: "Endpunkte" }).waitFor();
  await page.goto(`${hermod.url}/portal/deliveries?status=failed`);
  await page.getByRole("button", { name: "Alle fehlgeschlagenen erneut senden" }).click();
  await page.getByText("1 Ereignis wird der Reihe nach erneut gesendet").waitFor();
  expect(await flawsOf(page, "light")).toEqual([]);
  await page.getByRole("button", { name: "Erneut senden (1)" }).click();
  await page.getByText("Sie werden erneut gesendet.").waitFor();
  const { endpoint_id } = hermod.failed;
  const isThere = async () =>
    (await hermod.client.webhooks.list({ limit: 5, endpoint_id })).data.length === 2;
  await until(isThere, { what: "the resent delivery" });
  await page.context().close();
});

browserTest("what a session may not do is absent", async () => {
  const page = await freshPage();
  await page.goto(await linkFor({ capabilities: ["view"], endpoint_ids: [hermod.warehouse.id] }));
  await page.getByRole("heading", { name: "Warehouse" }).waitFor();
  expect(await page.locator(".portal-list > li").count()).toBe(1);
  expect(await page.getByRole("button", { name: /retry|test|resume/i }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Add endpoint" }).count()).toBe(0);
  await page.getByRole("link", { name: "Deliveries" }).click();
  await page.locator(".portal-rows a").first().click();
  await page.getByText("This session may not see payloads.").waitFor();
  await page.context().close();
});

browserTest(
  "a page of an allowed origin embeds it, and brings a new link when the session ends",
  async () => {
    const html = `<!doctype html><title>Host</title><hermod-portal src="${await linkFor({ origin: hermod.origin })}"></hermod-portal>
    <script src="${hermod.url}/portal/element.js"></script>`;
    const page = await freshPage();
    hermod.showPage(html);
    await page.goto(`${hermod.origin}/page`);
    const frame = page.frameLocator("hermod-portal iframe");
    await frame.getByRole("heading", { name: "Endpoints" }).waitFor();
    expect((await page.locator("hermod-portal iframe").boundingBox())?.height).toBeGreaterThan(500);
    // Nothing of an embedded session is kept in the browser: the page reloads into an ended one.
    expect(await page.context().cookies()).toEqual([]);
    const expired = page.evaluate(
      "new Promise((done) => document.querySelector('hermod-portal').addEventListener('expired', () => done(true)))",
    );
    await frame.locator("body").evaluate("location.reload()");
    expect(await expired).toBe(true);
    const next = await linkFor({ origin: hermod.origin });
    await page.evaluate(
      `document.querySelector("hermod-portal").setAttribute("src", ${JSON.stringify(next)})`,
    );
    await frame.getByRole("heading", { name: "Endpoints" }).waitFor();
    await page.context().close();
  },
);

browserTest("no other page can embed it, and a link works once", async () => {
  const link = await linkFor({});
  const page = await freshPage();
  await page.goto(link);
  await page.getByRole("heading", { name: "Endpoints" }).waitFor();
  const other = await freshPage();
  await other.goto(link);
  await other.getByText("Your session has ended").waitFor();
  for (const each of [page, other]) await each.context().close();
  const policy = (await fetch(`${hermod.url}/portal`)).headers.get("content-security-policy");
  expect(policy).toContain(`frame-ancestors ${hermod.origin};`);
});
