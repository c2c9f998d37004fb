import { expect } from "bun:test";
import type { Page, Request, Route } from "playwright-core";
import { Hermod } from "../../src/client";
import { visible } from "../../src/console/shared/visible-text";
import { until } from "../support/faults/until";
import { browserTest, usePages } from "./browser";
import { ADMIN_KEY } from "./installation";
import { EXTRA_WIDTH, flawsOf, showIn, watch } from "./page-flaws";

const pages = usePages();

const linkFor = (session: object) => pages.linkFor(session);

/** Returns the texts of a page that people see or hear. */
const TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("noscript, pre")) texts.push(walker.currentNode.data);
  for (const each of document.querySelectorAll("[aria-label], [title], [placeholder]"))
    for (const name of ["aria-label", "title", "placeholder"]) texts.push(each.getAttribute(name) ?? "");
  return texts;
})()`;

/** Words beside the service's answers that need no translation: months and days, units, HTTP's own words, a URL. */
const NOT_WORDS =
  "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun UTC ms min KiB MiB byte bytes " +
  "OK Service Unavailable https example com webhooks TypeScript Python Go Java Kotlin C# PHP Ruby Elixir Rust tenant authorization";

/** Leaves out the texts of the pseudo language, which may have others in them. */
function withoutMarked(text: string): string {
  const left = text.replaceAll(/⟦[^⟦⟧]*⟧/g, " ");
  return left === text ? text : withoutMarked(left);
}

const words = (text: string): string[] => text.match(/\p{L}{2,}/gu) ?? [];

const freshPage = (): Promise<Page> => pages.fresh({ viewport: { width: 1200, height: 900 } });

browserTest("a customer sees which numbers were not delivered, and makes a key to read them", async () => {
  const page = await freshPage();
  const seen = watch(page);
  await page.goto(await linkFor({ product_name: "Acme" }));
  const choose = async (item: string) => {
    await page
      .getByRole("button", { name: /^More for/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await choose("Check for gaps");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Last number").fill("0");
  await dialog.getByRole("button", { name: "Check" }).click();
  await dialog.getByText(/came after it|Nothing has ended/).waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await choose("Keys for the receiver");
  await dialog.getByLabel("Name of the key").fill("Warehouse");
  await dialog.getByRole("button", { name: "Make a key" }).click();
  await dialog.getByText(/^rcv_/).waitFor();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await choose("Keys for the receiver");
  await dialog.getByText("Warehouse").waitFor();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("Warehouse").waitFor({ state: "detached" });
  expect(seen()).toEqual([]);
  await page.context().close();
});

browserTest("a customer sees why nothing arrives, and sends it again", async () => {
  const page = await freshPage();
  const seen = watch(page);
  await page.goto(await linkFor({ product_name: "Acme", theme: { accent: "#0f766e" } }));
  await page.getByText("The last answer was 503 Service Unavailable").waitFor();
  await page.getByText("The addresses of your servers that Acme sends events to.").waitFor();
  // The token works once, and stays in no history.
  expect(page.url()).toBe(`${pages.hermod.url}/portal`);
  expect(await page.evaluate("getComputedStyle(document.querySelector('.lead .btn')).backgroundColor")).toBe(
    "rgb(15, 118, 110)",
  );
  pages.hermod.repair();
  // Problems come first, and nothing is retried where nothing waits.
  const rows = page.locator(".portal-list > li");
  const production = rows.filter({ hasText: "Production" });
  await rows.first().getByRole("heading", { name: "Production" }).waitFor();
  expect(await rows.getByRole("button", { name: "Retry now" }).count()).toBe(1);
  await production.getByRole("button", { name: "Retry now" }).click();
  await production.getByText("Healthy").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Endpoints", exact: true }).waitFor();
  expect(await page.content()).not.toMatch(/hermod(?!-)/i);
  expect(seen()).toEqual([]);
  await page.context().close();
});

browserTest("the portal speaks the session's language, and its text is readable on its accent", async () => {
  const page = await freshPage();
  await page.goto(await linkFor({ locale: "de", theme: { accent: "#ffff00" } }));
  await page.getByRole("heading", { name: "Endpunkte", exact: true }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("de");
  const flaws: Record<string, unknown> = {};
  for (const colorScheme of ["light", "dark"] as const) {
    await showIn(page, { colorScheme, width: 1200, height: 812 });
    flaws[colorScheme] = await flawsOf(page, colorScheme);
  }
  expect(flaws).toEqual({ light: [], dark: [] });
  await page.context().close();
});

browserTest(
  "a customer sees whether the server verifies signatures, and up to which number it has every delivery",
  async () => {
    // A sender's type is never taken for one of Hermod's own.
    await pages.hermod.client.eventTypes.put("hermod.moved", {
      description: "Hermod has moved.",
      example: { to: "Oslo" },
    });
    const careful = await pages.hermod.client.endpoints.create({
      url: `${pages.hermod.origin}/verifying`,
      description: "Careful",
      event_filter: "nothing.*",
    });
    pages.hermod.verifyWith(careful.signing_secret);
    const careless = await pages.hermod.client.endpoints.create({
      url: pages.hermod.answering,
      description: "Careless",
      event_filter: "invoice.*, hermod.*",
    });
    const page = await freshPage();
    await page.goto(await linkFor({ endpoint_ids: [careful.id, careless.id] }));
    const testOf = async (name: string) => {
      const row = page.locator(".portal-list > li", { hasText: name });
      await row.getByRole("button", { name: "Send test event" }).click();
      const dialog = page.getByRole("dialog", { name: "Send test event" });
      await dialog.getByText("The server answered 200 OK").waitFor();
      await dialog.getByRole("button", { name: "Try a wrong signature" }).click();
      return { row, dialog };
    };
    const certifyOf = async (name: string) => {
      const row = page.locator(".portal-list > li", { hasText: name });
      await row.getByRole("button", { name: /^More for/ }).click();
      await page.getByRole("menuitem", { name: "Certify the server" }).click();
      const dialog = page.getByRole("dialog", { name: "Certify the server" });
      await dialog.getByRole("button", { name: "Send trials" }).click();
      return dialog;
    };
    const report = await certifyOf("Careless");
    await report.getByText("Your server needs changes.").waitFor();
    expect(await report.locator("li.bad").allTextContents()).toEqual([
      expect.stringMatching(/^Refuses a wrong signaturefailed, 200 OK/),
      expect.stringMatching(/^Refuses a request without a signature/),
      expect.stringMatching(/^Refuses a request that is 10 minutes old/),
    ]);
    expect(await flawsOf(page, "light")).toEqual([]);
    await page.keyboard.press("Escape");
    await (await certifyOf("Careful")).getByText("Your server works. Look at the warnings.").waitFor();
    await page.keyboard.press("Escape");
    const first = await testOf("Careful");
    await first.dialog.getByText("It refused a wrong signature: 401 Unauthorized").waitFor();
    expect(await flawsOf(page, "light")).toEqual([]);
    await page.keyboard.press("Escape");
    await first.row.getByText("Complete up to number 2").waitFor();
    await first.row.getByText("Healthy").waitFor();
    const second = await testOf("Careless");
    await second.dialog.getByText(/^It answered 200 OK to a wrong signature. That is a mistake/).waitFor();
    await second.dialog.getByRole("link", { name: "Open the delivery" }).click();
    await page.getByRole("heading", { name: "Test event" }).waitFor();
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("button", { name: /^Endpoint:/ }).click();
    await page.getByRole("option", { name: /^Careless/ }).click();
    await page.getByRole("link", { name: /^Test with a wrong signature/ }).click();
    await page.getByText("That is a mistake").waitFor();
    await page.locator(".answer-head .pill.bad").waitFor();
    // The catalogue has what these endpoints want, and explains a test once: a forged one looks the same.
    await page.getByRole("link", { name: "Event catalogue" }).click();
    await page.getByText("invoice.paid").waitFor();
    await page.getByText("A test event, which comes only when somebody sends one.").waitFor();
    await page.getByText("Hermod has moved.").waitFor();
    expect(await page.getByText(/customer.created|hermod.test.forged/).count()).toBe(0);
    expect(await page.getByText("hermod.test").count()).toBe(1);
    await page.getByRole("treeitem", { name: "invoice.paid" }).click();
    await page.getByRole("heading", { name: "invoice.paid" }).waitFor();
    expect(await page.getByText("Types for your code").count()).toBe(0);
    expect(await flawsOf(page, "light")).toEqual([]);
    await page.getByRole("treeitem", { name: "hermod.moved" }).click();
    await page.getByText("Types for your code").click();
    await page.getByRole("tab", { name: "Python" }).click();
    await page.getByText("class HermodMoved:").waitFor();
    expect(await flawsOf(page, "light")).toEqual([]);
    for (const { id } of [careful, careless]) await pages.hermod.client.endpoints.delete(id);
    await page.context().close();
  },
);

browserTest(
  "a refused test can be sent again, one that is over is read no more, and no chat service is asked to verify",
  async () => {
    const chat = await pages.hermod.client.endpoints.create({
      url: pages.hermod.answering,
      description: "Chat",
      event_filter: "nothing.*",
      format: "slack",
    });
    const page = await freshPage();
    await page.clock.install();
    let reads = 0;
    const underWay = new Set<Request>();
    page.on("request", (each) => {
      const isRead = /\/v1\/webhooks\/wh_\w+$/.test(each.url());
      if (isRead) reads++;
      if (isRead || each.url().endsWith("/v1/endpoints")) underWay.add(each);
    });
    page.on("requestfinished", (each) => underWay.delete(each));
    page.on("requestfailed", (each) => underWay.delete(each));
    /** In short steps: an answer that comes after a step seems to have taken that long, and what takes long is read less often. */
    const pass = async (seconds: number) => {
      for (let step = 0; step < 10 * seconds; step++) {
        await until(() => underWay.size === 0, { what: "the answers" });
        await page.clock.runFor(100);
      }
    };
    /** Returns the number of reads of the test's delivery in ten seconds, in which the list behind it is read twice. */
    const readsInTenSeconds = async () => {
      const before = reads;
      const list = page.waitForRequest((each) => each.url().endsWith("/v1/endpoints"));
      await pass(10);
      await list;
      return reads - before;
    };
    await page.goto(await linkFor({ endpoint_ids: [chat.id] }));
    const refuse = (route: Route) => route.fulfill({ status: 403, json: { error: "not allowed" } });
    await page.route("**/v1/endpoints/*/test", refuse, { times: 1 });
    await page.getByRole("button", { name: "Send test event" }).click();
    const dialog = page.getByRole("dialog", { name: "Send test event" });
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByText("Sending…").count()).toBe(0);
    // Sent, but not readable: the page says so instead of waiting.
    await page.route("**/v1/webhooks/*", refuse);
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByText("Sending…").count()).toBe(0);
    // A read may be under way.
    await pass(1);
    expect(await readsInTenSeconds()).toBe(0);
    await page.unrouteAll();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Send test event" }).click();
    await dialog.getByText("The server answered 200 OK").waitFor();
    expect(await dialog.getByRole("button", { name: "Try a wrong signature" }).count()).toBe(0);
    await pass(1);
    expect(await readsInTenSeconds()).toBe(0);
    await pages.hermod.client.endpoints.delete(chat.id);
    await page.context().close();
  },
);

browserTest("every text is from the catalogue, and longer texts fit", async () => {
  const page = await freshPage();
  const answers: Promise<string>[] = [];
  page.on("response", (answer) => {
    // A stream has no end.
    if (!answer.url().includes("/v1/") || answer.url().includes("/tail")) return;
    // An answer to a page that was left says nothing about the next page.
    answers.push(answer.text().catch(() => ""));
  });
  await page.goto(await linkFor({ locale: "en-XA" }));
  await page.locator("h1", { hasText: "⟦" }).first().waitFor();
  await page.setViewportSize({ width: 320, height: 812 });
  const strangers: Record<string, unknown> = {};
  for (const path of [
    "/portal",
    "/portal/endpoints/new",
    "/portal/deliveries",
    `/portal/deliveries/${pages.hermod.failed.id}`,
    `/portal/deliveries/${pages.hermod.waiting.id}`,
    "/portal/events",
  ]) {
    await page.goto(pages.hermod.url + path);
    await page.locator("h1", { hasText: "⟦" }).first().waitFor();
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    const texts = await page.evaluate<string[]>(TEXTS);
    const data = (await Promise.all(answers)).join(" ");
    const known = new Set(words(visible(data)).concat(words(NOT_WORDS)));
    const found = texts.map(withoutMarked).flatMap(words);
    const wrong = found.filter((word) => !known.has(word));
    if (wrong.length > 0) strangers[path] = wrong;
    const extra = await page.evaluate<number>(EXTRA_WIDTH);
    if (extra > 0) strangers[`${path} is too wide`] = extra;
  }
  expect(strangers).toEqual({});
  await page.context().close();
});

browserTest("a customer changes the address and the events of an endpoint", async () => {
  const { id } = await pages.hermod.client.endpoints.create({
    url: "http://127.0.0.1:9/old",
    event_filter: "a.*",
  });
  const page = await freshPage();
  await page.goto(await linkFor({ endpoint_ids: [id] }));
  await page.locator(".portal-list button[aria-haspopup=menu]").click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Settings" });
  await dialog.getByLabel("As patterns").fill("a.*|b");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel(/^URL/).fill("http://127.0.0.1:9/new");
  await dialog.getByLabel(/^Name/).fill("Billing");
  await dialog.getByLabel("As patterns").fill("a.*, b");
  expect(await flawsOf(page, "light")).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Billing" }).waitFor();
  const changed = await pages.hermod.client.endpoints.get(id);
  expect(changed).toMatchObject({ url: "http://127.0.0.1:9/new", event_types: ["a.*", "b"] });
  await pages.hermod.client.endpoints.delete(id);
  await page.context().close();
});

browserTest("a customer adds an endpoint in three steps, with the event types that are sent", async () => {
  const page = await freshPage();
  await page.goto(await linkFor({}));
  await page.getByRole("link", { name: "Add endpoint" }).click();
  await page.getByLabel(/^URL/).fill(`${pages.hermod.answering}/theirs`);
  await page.getByLabel(/^Name/).fill("Theirs");
  await page.getByLabel(/^Headers of each request/).fill("x-tenant: 42");
  await page.getByLabel(/^Secret headers/).fill("authorization: Bearer a:b");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel(/^All events/).uncheck();
  await page.getByLabel("invoice.paid", { exact: true }).check();
  await page.getByLabel("order.*").check();
  // A type without a dot has no pattern: `type.*` would never match it.
  const lone = "type".repeat(60);
  expect(await page.getByLabel(lone, { exact: true }).count()).toBe(1);
  expect(await page.getByLabel(`${lone}.*`).count()).toBe(0);
  await page.getByRole("button", { name: "Create endpoint" }).click();
  expect(await page.locator(".secret code").textContent()).toStartWith("whsec_");
  await page.getByRole("button", { name: "Send test event" }).click();
  await page.getByText("The server answered 200 OK").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("heading", { name: "Theirs" }).waitFor();
  const [made] = await Array.fromAsync(pages.hermod.client.endpoints.all({ q: "theirs" }));
  expect(made).toMatchObject({
    event_types: ["invoice.paid", "order.*"],
    headers: { "x-tenant": "42" },
    sensitive_headers: ["authorization"],
  });
  await pages.hermod.client.endpoints.delete(made?.id ?? "");
  await page.context().close();
});

browserTest(
  "the form of a new endpoint says whether its address is found, and nothing of the one typed before",
  async () => {
    const customer = await freshPage();
    await customer.goto(await linkFor({}));
    await customer.getByRole("link", { name: "Add endpoint" }).click();
    const colleague = await pages.opened("/console/endpoints/new");
    for (const page of [customer, colleague]) {
      const type = (url: string) => page.getByLabel(/^URL/).fill(url);
      const verdict = page.locator("small[aria-live]");
      await type("http://127.0.0.1:9/hooks");
      await verdict.getByText("The host was found.").waitFor();
      await type("http://nobody.invalid/hooks");
      await verdict.getByText("host name not found").waitFor();
      await type("http://127.0.0.1:99999/hooks");
      await verdict.getByText(/must be|invalid|not a/i).waitFor();
      expect(await flawsOf(page, "light")).toEqual([]);
      // The answer to an address that was typed before comes late.
      const late = Promise.withResolvers<Route>();
      await page.route("**/v1/endpoints/check-url", (route) => late.resolve(route), { times: 1 });
      await type("http://127.0.0.1:99999/late");
      const route = await late.promise;
      await type("http://127.0.0.1:9/now");
      await verdict.getByText("The host was found.").waitFor();
      const answered = page.waitForResponse((each) => each.url().endsWith("/check-url"));
      await route.continue();
      await (await answered).finished();
      expect(await verdict.textContent()).toBe("The host was found.");
    }
    await customer.context().close();
    await colleague.close();
  },
);

browserTest("of many endpoints the portal draws fifty, and the others on request", async () => {
  const admin = new Hermod({ url: pages.hermod.url, key: ADMIN_KEY });
  const { id } = await admin.admin.createAccount({ name: "Many" });
  const client = new Hermod({ url: pages.hermod.url, key: ADMIN_KEY, account: id });
  const event_types = Array.from({ length: 10 }, (_, n) => `kind.of${n}`);
  for (let n = 0; n < 60; n++)
    await client.endpoints.create({ url: `${pages.hermod.answering}/${n}`, event_types, is_active: false });
  const page = await freshPage();
  await page.goto(await linkFor({ account: id }));
  const rows = page.locator(".portal-list > li");
  await rows.first().getByText("and 2 others").waitFor();
  expect(await rows.count()).toBe(50);
  await page.getByRole("button", { name: "Show 10 more" }).click();
  await rows.nth(59).waitFor();
  expect(await page.getByRole("button", { name: /^Show/ }).count()).toBe(0);
  await page.context().close();
});

browserTest("a customer resends every failed delivery, after seeing the number", async () => {
  const page = await freshPage();
  await page.goto(await linkFor({ locale: "de" }));
  await page.getByRole("heading", { name: "Endpunkte", exact: true }).waitFor();
  await page.goto(`${pages.hermod.url}/portal/deliveries?status=failed&error=connection_refused`);
  const counted = page.waitForRequest((each) => each.url().endsWith("/v1/webhooks/resend"));
  await page.getByRole("button", { name: "Alle fehlgeschlagenen erneut senden" }).click();
  // It sends again what the list shows, and no more.
  expect((await counted).postDataJSON().filter).toMatchObject({
    status: "failed",
    error: "connection_refused",
  });
  await page.getByText("1 Ereignis wird der Reihe nach erneut gesendet").waitFor();
  expect(await flawsOf(page, "light")).toEqual([]);
  await page.getByRole("button", { name: "Erneut senden (1)" }).click();
  await page.getByText("Sie werden erneut gesendet.").waitFor();
  const { endpoint_id } = pages.hermod.failed;
  const isThere = async () =>
    (await pages.hermod.client.webhooks.list({ limit: 5, endpoint_id })).data.length === 2;
  await until(isThere, { what: "the resent delivery" });
  await page.context().close();
});

browserTest(
  "a customer finds a delivery by event, time and id, and sees why it waits behind others",
  async () => {
    const { client, answering } = pages.hermod;
    const { id } = await client.endpoints.create({ url: answering, description: "Queue", is_active: false });
    const send = () => client.webhooks.send({ endpoint_id: id, event: "queue.moved", data: { order_id: 7 } });
    await send();
    const second = await send();
    const page = await freshPage();
    await page.goto(await linkFor({ endpoint_ids: [id] }));
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: /^Event type/ }).click();
    await page.keyboard.type("queue.moved");
    await page.keyboard.press("Enter");
    await page.waitForURL(/event=queue.moved/);
    await page.getByRole("button", { name: /^Time/ }).click();
    await page.getByRole("option", { name: "in the last hour" }).click();
    await page.locator(".portal-rows a").nth(1).waitFor();
    expect(await page.locator(".portal-rows a").count()).toBe(2);
    await page.getByLabel("Id of a delivery").fill(second.id);
    await page.keyboard.press("Enter");
    await page.getByText("Number 2").waitFor();
    await page.getByText("It waits until the endpoint is resumed.").waitFor();
    await page.getByText("Not attempted yet.").waitFor();
    expect(await flawsOf(page, "light")).toEqual([]);
    expect(page.url()).toContain(second.id);
    await client.endpoints.delete(id);
    await page.context().close();
  },
);

browserTest("a control without its permission is absent", async () => {
  const page = await freshPage();
  await page.goto(await linkFor({ capabilities: ["view"], endpoint_ids: [pages.hermod.warehouse.id] }));
  await page.getByRole("heading", { name: "Warehouse" }).waitFor();
  expect(await page.locator(".portal-list > li").count()).toBe(1);
  expect(await page.getByRole("button", { name: /retry|test|resume/i }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Add endpoint" }).count()).toBe(0);
  await page.getByRole("link", { name: "Deliveries" }).click();
  await page.locator(".portal-rows a").first().click();
  await page.getByRole("link", { name: "Payload" }).click();
  await page.getByText("This session may not see payloads.").waitFor();
  expect(await page.getByRole("link", { name: /Request|curl/ }).count()).toBe(0);
  await page.context().close();
});

browserTest(
  "a page of an allowed origin embeds it, and brings a new link when the session ends",
  async () => {
    const html = `<!doctype html><title>Host</title><hermod-portal src="${await linkFor({ origin: pages.hermod.origin })}"></hermod-portal>
    <script src="${pages.hermod.url}/portal/element.js"></script>`;
    const page = await freshPage();
    pages.hermod.showPage(html);
    await page.goto(`${pages.hermod.origin}/page`);
    const frame = page.frameLocator("hermod-portal iframe");
    await frame.getByRole("heading", { name: "Endpoints", exact: true }).waitFor();
    expect((await page.locator("hermod-portal iframe").boundingBox())?.height).toBeGreaterThan(500);
    // A secret that is shown once can be copied.
    expect(
      await frame.locator("body").evaluate("document.featurePolicy.allowsFeature('clipboard-write')"),
    ).toBe(true);
    // The attributes of the element override the session, also later.
    const element = (script: string) =>
      page.evaluate(`((element) => ${script})(document.querySelector("hermod-portal"))`);
    await element('element.setAttribute("lang", "de")');
    await frame.getByRole("heading", { name: "Endpunkte", exact: true }).waitFor();
    const colour = () =>
      frame
        .locator("body")
        .evaluate("getComputedStyle(document.querySelector('.lead .btn')).backgroundColor");
    const dark = { mode: "dark", accent: "#0f766e", accent_dark: "#5eead4" };
    await element(`element.setAttribute("theme", ${JSON.stringify(JSON.stringify(dark))})`);
    await frame.locator("html[data-theme=dark]").waitFor();
    expect(await colour()).toBe("rgb(94, 234, 212)");
    await element('element.setAttribute("theme", "light")');
    await frame.locator("html[data-theme=light]").waitFor();
    expect(await colour()).not.toBe("rgb(94, 234, 212)");
    await element('["lang", "theme"].forEach((name) => element.removeAttribute(name))');
    await frame.locator("html[lang=en]:not([data-theme])").waitFor();
    await element('(element.setAttribute("lang", "de"), element.setAttribute("theme", "{"))');
    // Nothing of an embedded session is kept in the browser: the page reloads into an ended one.
    expect(await page.context().cookies()).toEqual([]);
    const expired = page.evaluate(
      "new Promise((done) => document.querySelector('hermod-portal').addEventListener('expired', () => done(true)))",
    );
    await frame.locator("body").evaluate("location.reload()");
    expect(await expired).toBe(true);
    const next = await linkFor({ origin: pages.hermod.origin });
    await page.evaluate(
      `document.querySelector("hermod-portal").setAttribute("src", ${JSON.stringify(next)})`,
    );
    await frame.getByRole("heading", { name: "Endpunkte", exact: true }).waitFor();
    await page.context().close();
  },
);

browserTest("no other page can embed it, and a link works once", async () => {
  const link = await linkFor({});
  const page = await freshPage();
  await page.goto(link);
  await page.getByRole("heading", { name: "Endpoints", exact: true }).waitFor();
  const other = await freshPage();
  await other.goto(link);
  await other.getByText("Your session has ended").waitFor();
  for (const each of [page, other]) await each.context().close();
  const policy = (await fetch(`${pages.hermod.url}/portal`)).headers.get("content-security-policy");
  expect(policy).toContain(`frame-ancestors ${pages.hermod.origin};`);
});
