import { describe, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { ConsoleLogin } from "../../src/cli/console-login";
import { Hermod } from "../../src/client";
import { until } from "../support/faults/until";
import { slowness } from "../support/slowness";
import { browserTest, signIn, usePages } from "./browser";
import { ADMIN_KEY, HOSTILE } from "./installation";
import { longestTaskMs } from "./longest-task";
import { flawsOf, showIn } from "./page-flaws";

const pages = usePages();

/** Returns whether an element has the focus. */
function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((each) => each.matches(":focus"));
}

browserTest(
  "a support colleague finds what a customer's server answered, in four clicks from the sign-in",
  async () => {
    const page = await pages.fresh({ timezoneId: "Asia/Kathmandu" });
    await signIn(page);
    let clicks = 0;
    const click = async (what: ReturnType<Page["locator"]>) => {
      clicks++;
      await what.click();
    };
    await click(page.getByRole("button", { name: "Find anything" }).first());
    await page.keyboard.type("kestrel today");
    await click(page.getByRole("option", { name: "Deliveries: everything, to Kestrel Freight, today" }));
    await page.getByRole("table", { name: "Deliveries, newest first" }).waitFor();
    // The counts come first, then what each server answered.
    await page.locator(".note .answer").getByText("503 Service Unavailable").first().waitFor();
    // Two endpoints hold deliveries back, so the answer has no button that retries one of them.
    expect(await page.locator(".note").getByRole("button").allTextContents()).toEqual(["Copy as reply"]);
    await click(page.locator("[data-row]", { hasText: "503" }).locator("a.row-link").first());
    await page.getByText("We are moving").waitFor();
    expect(await page.locator("h1").textContent()).toBe("invoice.paid");
    expect(clicks).toBeLessThanOrEqual(4);
    // The times are the browser's, or those of the service's log.
    const accepted = page.getByText("Accepted").locator("..").locator("time");
    const at = (await accepted.getAttribute("datetime"))?.slice(11, 19) ?? "";
    expect(await accepted.textContent()).not.toBe(at);
    await page.getByRole("button", { name: "Show UTC" }).click();
    await accepted.getByText(at).waitFor();
    await page.getByText("Times are in UTC.").waitFor();
    // The link shows a colleague the same.
    expect(new URL(page.url()).searchParams.get("account")).toBe(pages.hermod.account.id);
    await page.context().close();
  },
);

browserTest(
  "a new account gets code with the service's address, in the language that was chosen last",
  async () => {
    const { url } = pages.hermod;
    const { id } = await new Hermod({ url, key: ADMIN_KEY }).admin.createAccount({ name: "Newcomer" });
    const page = await pages.signedIn();
    await page.goto(`/console?account=${id}`);
    const code = (label: string) => page.getByRole("region", { name: label, exact: true }).textContent();
    await page.getByRole("tab", { name: "Python" }).first().click();
    expect(await code("Or by the API")).toContain(`hermod = Hermod("${url}", os.environ["HERMOD_KEY"])`);
    expect(await code("By the API")).toContain("hermod.events.publish(");
    await page.reload();
    await page.getByRole("tab", { name: "Python", selected: true }).last().waitFor();
    expect(await code("By the API")).toContain("hermod.events.publish(");
    await showIn(page, { colorScheme: "light", width: 375, height: 812 });
    expect(await flawsOf(page, "light")).toEqual([]);
    await page.close();
  },
);

browserTest(
  "the command line gets a key of its own once a person allows it, beside the same code",
  async () => {
    await using login = await ConsoleLogin.open();
    const page = await pages.opened(login.pageOf("").toString());
    await page.getByText(await login.code()).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    const me = await new Hermod({ url: pages.hermod.url, key: await login.key() }).usage();
    expect(me.webhooks.used).toBeGreaterThanOrEqual(0);
    await page.getByText("go on in the terminal").waitFor();
    await page.close();
  },
);

browserTest("a wrong key is refused without a session, and the page stores no key", async () => {
  const page = await pages.fresh();
  await page.goto("/console/deliveries?status=failed");
  await page.getByLabel("API key").fill("not-a-key-of-anybody");
  await page.keyboard.press("Enter");
  await page.getByText("This key is not valid").waitFor();
  await page.getByLabel("API key").fill(ADMIN_KEY);
  await page.keyboard.press("Enter");
  await page.locator(".app").waitFor();
  expect(page.url()).toEndWith("/console/deliveries?status=failed");
  const kept = await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])");
  expect(kept).not.toContain(ADMIN_KEY);
  expect(kept).toBe('[{},{},""]');
  await page.context().close();
});

browserTest(
  "an administrator sees all accounts' deliveries and events, and follows one to its account",
  async () => {
    // A clock belongs to all pages of a context.
    const page = await (await pages.newSession()).newPage();
    await page.goto("/console/all");
    await page.getByRole("heading", { name: /^\d+ endpoints? of 1 account needs? attention\.$/ }).waitFor();
    await page.getByText("Accepted, last 24 h").waitFor();
    const attention = page.getByRole("table", { name: "Endpoints that need attention" });
    const troubled = attention.locator("[data-row]", { hasText: "Production" });
    await troubled.getByText(/last: 503 Service Unavailable/).waitFor();
    await troubled.getByText("Kestrel Freight").waitFor();
    await page.getByRole("button", { name: /^Of account/ }).click();
    await page.getByRole("option", { name: /^Other/ }).click();
    await page.getByRole("heading", { name: "No endpoint needs attention." }).waitFor();
    await page.getByRole("button", { name: /^Of account/ }).click();
    await page.getByRole("option", { name: "all accounts" }).click();
    await page.getByRole("link", { name: "Failed deliveries" }).click();
    const table = page.getByRole("table", { name: "Deliveries of all accounts, newest first" });
    await table.getByText("Kestrel Freight").first().waitFor();
    await table.getByRole("link", { name: "customer.created" }).first().click();
    await page.getByRole("heading", { name: "About this delivery" }).waitFor();
    expect(new URL(page.url()).searchParams.get("account")).toBe(pages.hermod.account.id);
    await page.goBack();
    // A delivery that waits says until when, and where; an endpoint says why it fails.
    await page.goto("/console/all?tab=deliveries&status=pending");
    const retried = page.locator("[data-row]", { hasText: "Will be retried" }).first();
    await retried.getByText(/^Production$/).waitFor();
    await retried.locator(".c-waits", { hasText: /\d\d:\d\d/ }).waitFor();
    await page.getByRole("link", { name: "Endpoints", exact: true }).last().click();
    await page.getByRole("button", { name: /^Health/ }).click();
    await page.getByRole("option", { name: "Failing" }).click();
    const production = page.locator("[data-row]", { hasText: "Production" });
    await production.getByText(/last: 503 Service Unavailable/).waitFor();
    await production.getByText("Kestrel Freight").waitFor();
    await page.getByRole("link", { name: "Events", exact: true }).last().click();
    await page.getByRole("table", { name: "Events of all accounts, newest first" }).waitFor();
    await page.getByRole("button", { name: /^Of account/ }).click();
    await page.getByRole("option", { name: /^Other/ }).click();
    await page.getByText("No account has anything like this").waitFor();
    // New rows appear by themselves.
    await page.clock.install();
    await page.goto("/console/all?tab=deliveries&event=just.now");
    await page.getByText("No account has anything like this").waitFor();
    await pages.hermod.client.webhooks.send({
      endpoint_id: pages.hermod.warehouse.id,
      event: "just.now",
      data: {},
    });
    await page.clock.runFor(6_000);
    await page.getByRole("link", { name: "just.now" }).waitFor();
    await page.context().close();
  },
);

browserTest(
  "the page of an account has its usage and what waits, and opens the portal as the customer",
  async () => {
    const page = await (await pages.newSession()).newPage();
    await page.goto("/console/accounts");
    await page.getByRole("button", { name: "Edit the plan starter" }).click();
    await page.getByLabel(/^Requests a minute/).fill("601");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row").filter({ hasText: "starter" }).getByText("601").waitFor();
    await page.getByRole("link", { name: "Kestrel Freight" }).click();
    await page.getByText("Webhooks this month").waitFor();
    await page.getByRole("table", { name: "What waits, and why" }).getByText("Production").waitFor();
    expect(new URL(page.url()).searchParams.get("account")).toBe(pages.hermod.account.id);
    const opened = page.context().waitForEvent("page");
    await page.getByRole("button", { name: "Open as portal" }).click();
    const portal = await opened;
    await portal.getByRole("heading", { level: 1 }).first().waitFor();
    await portal.getByText("Production").first().waitFor();
    // The session may only look.
    expect(await portal.getByRole("link", { name: "Add endpoint" }).count()).toBe(0);
    await page.context().close();
  },
);

browserTest("a thousand rows are a few dozen elements, in either list", async () => {
  const { id } = await pages.hermod.client.endpoints.create({
    url: "http://127.0.0.1:9/long",
    is_active: false,
  });
  const batch = Array.from({ length: 500 }, () => ({ endpoint_id: id, event: "long.list", data: {} }));
  for (let n = 0; n < 2; n++) await pages.hermod.client.webhooks.sendMany(batch);
  for (const path of ["/console/deliveries?", "/console/all?tab=deliveries&"]) {
    const page = await pages.opened(`${path}event=long.list`);
    const rows = page.locator("[data-row]");
    await rows.first().waitFor();
    // The end of the list is read as it comes into sight.
    const table = page.locator("[role=table][aria-rowcount]");
    const isWhole = async () => {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      return (await table.getAttribute("aria-rowcount")) === "1001";
    };
    await until(isWhole, { what: "all rows" });
    expect(await rows.count()).toBeLessThan(80);
    await page.close();
  }
  await pages.hermod.client.endpoints.delete(id);
});

browserTest("hundreds of event types are a tree that folds, is searched, and goes by keyboard", async () => {
  const { id } = await pages.hermod.client.endpoints.create({
    url: "http://127.0.0.1:9/types",
    is_active: false,
  });
  const event = (n: number) => `grown.kind${n % 10}.type${n}`;
  const batch = Array.from({ length: 400 }, (_, n) => ({ endpoint_id: id, event: event(n), data: {} }));
  await pages.hermod.client.webhooks.sendMany(batch);
  const isThere = async () =>
    (await Array.fromAsync(pages.hermod.client.eventTypes.all())).length >= batch.length;
  await until(isThere, { what: "the event types" });
  const page = await pages.opened("/console/event-types");
  const tree = page.getByRole("tree", { name: "Event types by name" });
  const item = (name: string | RegExp) => tree.getByRole("treeitem", { name });
  const grown = item(/^grown\s*400/);
  await grown.waitFor();
  expect(await grown.getAttribute("aria-expanded")).toBe("false");
  await grown.click();
  await item(/^grown.kind3\s*40/).waitFor();
  await tree.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await item("grown.kind0.type0").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  const active = (await tree.getAttribute("aria-activedescendant")) ?? "";
  await page.locator(`[id="${active}"]`).waitFor();
  expect(await page.locator("[data-row]").count()).toBeLessThan(80);
  await page.getByLabel("Search event types").fill("kind7.TYPE39");
  await item("grown.kind7.type397").waitFor();
  expect(await tree.getByRole("treeitem").count()).toBe(1);
  for (const theme of ["light", "dark"] as const) {
    await showIn(page, { colorScheme: theme, width: 375, height: 800 });
    expect(await flawsOf(page, theme)).toEqual([]);
  }
  await tree.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "grown.kind7.type397" }).waitFor();
  await page.goBack();
  await item("grown.kind7.type397").waitFor();
  await page.getByLabel("Search event types").fill("");
  // What was unfolded stays so.
  await item(/^grown.kind3\s*40/).waitFor();
  await pages.hermod.client.endpoints.delete(id);
  await page.close();
});

browserTest("more windows than a browser has connections show a new delivery, by one stream", async () => {
  const context = await pages.newSession();
  const streams: Page[] = [];
  context.on("request", (each) => {
    if (each.url().includes("/v1/webhooks/tail")) streams.push(each.frame().page());
  });
  const open = async () => {
    const page = await context.newPage();
    await page.goto(`/console/deliveries?event=many.windows&account=${pages.hermod.account.id}`);
    await page.locator(".empty").waitFor();
    return page;
  };
  const windows = await Promise.all(Array.from({ length: 8 }, open));
  await until(() => streams.length === 1, { what: "a stream" });
  // Another window reads on when the one that reads is closed.
  await streams[0]?.close();
  await until(() => streams.length === 2, { what: "the stream of another window" });
  const { warehouse, client } = pages.hermod;
  await client.webhooks.send({ endpoint_id: warehouse.id, event: "many.windows", data: {} });
  for (const each of windows) if (!each.isClosed()) await each.locator("[data-row]").waitFor();
  expect(streams.length).toBe(2);
  await context.close();
});

browserTest(
  "sixty deliveries a second keep neither console nor portal busy for longer than 50 ms at a time",
  async () => {
    const { client, account } = pages.hermod;
    const { id } = await client.endpoints.create({ url: "http://127.0.0.1:9/fast", is_active: false });
    const send = (number: number) =>
      client.webhooks.sendMany(
        Array.from({ length: number }, () => ({ endpoint_id: id, event: "fast.list", data: { n: 1 } })),
      );
    const console = await (await pages.newSession()).newPage();
    await console.goto(`/console/deliveries?event=fast.list&account=${account.id}`);
    const portal = await pages.fresh();
    await portal.goto(await pages.linkFor({ endpoint_ids: [id] }));
    await portal.getByRole("link", { name: "Deliveries" }).click();
    const both = [console, portal];
    await send(500);
    for (const page of both) await page.locator("[data-row]").first().waitFor();
    /** Returns the CPU milliseconds of the longest task of either page in two seconds of load. */
    const longest = async () => {
      const load = async () => {
        for (let i = 0; i < 20; i++) await Promise.all([send(6), Bun.sleep(100)]);
      };
      return (await longestTaskMs(pages.browser, load)) / slowness();
    };
    await until(async () => (await longest()) <= 50, { what: "two seconds without a long task" });
    for (const page of both) expect(await page.locator("[data-row]").count()).toBeLessThan(80);
    for (const page of both) await page.context().close();
    await client.endpoints.delete(id);
  },
);

browserTest("a delivery that is not there is asked for once", async () => {
  const page = await pages.signedIn();
  await page.clock.install();
  let reads = 0;
  page.on("request", (each) => {
    if (each.url().includes(`/v1/webhooks/${pages.hermod.failed.id}`)) reads++;
  });
  // It is another account's.
  await page.goto(`/console/deliveries/${pages.hermod.failed.id}`);
  await page.getByText("There is no such delivery in this account").waitFor();
  const list = page.waitForRequest((each) => each.url().endsWith("/v1/endpoints"));
  await page.clock.runFor(20_000);
  await list;
  expect(reads).toBe(1);
  await page.close();
});

browserTest("hostile payloads, names and answers are text", async () => {
  const page = await pages.opened(`/console/deliveries/${pages.hermod.failed.id}?tab=payload`);
  const payload = page.getByRole("region", { name: "Payload" });
  await payload.waitFor();
  await payload.getByText("{{7*7}}").first().waitFor();
  const text = (await payload.textContent()) ?? "";
  expect(text).toContain('<script>document.title=\\"taken\\"</script>');
  expect(text).toContain("{{7*7}}");
  // Invisible characters are written out.
  for (const written of ["\\u202e", "\\u200b", "\\u0000", "\\ud83d"]) expect(text).toContain(written);
  expect(text.length).toBeLessThan(70_000);
  await page.getByRole("button", { name: /^Show all/ }).click();
  await until(async () => ((await payload.textContent())?.length ?? 0) > HOSTILE.long.length);
  await page.locator(".app").getByText(HOSTILE.markup).first().waitFor();
  expect(await page.title()).not.toContain("taken");
  expect(await page.locator(".app script, .app img").count()).toBe(0);
  await page.close();
});

/** Changes an endpoint's settings on its page, after trying a condition on the last events. */
async function changeSettings(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const panel = page.getByRole("dialog", { name: "Settings" });
  await panel.getByLabel(/^Only events for which/).fill("data.amount >");
  await panel.getByRole("button", { name: "Try on the last events" }).click();
  await panel.getByRole("alert").waitFor();
  await panel.getByLabel(/^Only events for which/).fill("data.amount > 2");
  await panel.getByRole("button", { name: "Try on the last events" }).click();
  await panel.getByText(/ of the newest \d+ events? goe?s? to the endpoint/).waitFor();
  await panel.getByLabel(/^Your notes/).fill("team: billing");
  await panel.getByLabel(/^Content type/).fill("application/cloudevents+json");
  await panel.getByLabel(/^Trace of the sender/).selectOption("true");
  expect(await flawsOf(page, "light")).toEqual([]);
  await panel.getByRole("button", { name: "Save" }).click();
  await page.getByText("team: billing").waitFor();
}

browserTest(
  "each ordering key that a retry holds back has its order, and the next deliveries begin with the first",
  async () => {
    const { client, down } = pages.hermod;
    const keyed = await client.endpoints.create({
      url: down,
      description: "Keyed",
      ordering: "by_key",
      event_filter: "refund.*",
      retry_schedule_ms: [3_600_000],
    });
    for (const ordering_key of ["a", "b", "a", "a"])
      await client.webhooks.send({ endpoint_id: keyed.id, event: "refund.made", ordering_key, data: {} });
    await until(async () => (await client.endpoints.listStuckOrders(keyed.id)).data.length === 2, {
      what: "two keys",
    });
    const page = await pages.opened(`/console/endpoints/${keyed.id}?tab=pending`);
    const order = page.getByRole("region", { name: "Key a" });
    await order.getByText("The first is retried; 2 wait behind it.").waitFor();
    await order.getByRole("button", { name: "Retry #1 now" }).waitFor();
    await page.getByRole("region", { name: "Key b" }).getByText("The first is retried.").waitFor();
    const numbers = page
      .getByRole("table", { name: "Pending deliveries, first in order first" })
      .getByText(/^#\d$/);
    await numbers.nth(3).waitFor();
    expect(await numbers.allTextContents()).toEqual(["#1", "#2", "#3", "#4"]);
    const past = page.getByRole("region", { name: "The past" });
    await past.getByText("HERMOD_ADMIN_KEY added it.").waitFor();
    await past.getByRole("link", { name: "Changes" }).click();
    await past.getByText("refund.*").waitFor();
    await page.close();
    await client.endpoints.delete(keyed.id);
  },
);

browserTest("a bar of the histogram becomes the time of the list", async () => {
  const { client, warehouse } = pages.hermod;
  const send = () => client.webhooks.send({ endpoint_id: warehouse.id, event: "order.in_bars", data: {} });
  const hasBars = async () => {
    await send();
    return (await client.webhooks.summary({ event_type: "order.in_bars" })).bars.length > 1;
  };
  await until(hasBars, { what: "two bars" });
  const page = await pages.opened("/console/deliveries?event=order.in_bars&time=today");
  await page.getByRole("img", { name: /^\d+ deliveries, by the time of acceptance/ }).focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.waitForURL(/after=/);
  const { searchParams } = new URL(page.url());
  const [after, before] = ["after", "before"].map((name) => Date.parse(searchParams.get(name) ?? ""));
  const [first] = (await client.webhooks.summary({ event_type: "order.in_bars" })).bars;
  expect([after, (before ?? 0) > (after ?? 0)]).toEqual([Date.parse(first?.at ?? ""), true]);
  // An ended delivery says how long it took.
  await page
    .locator("[data-row] .c-waits", { hasText: / (ms|s)$/ })
    .first()
    .waitFor();
  await page.close();
});

describe("actions", () => {
  browserTest("a cancellation waits five seconds and can be undone", async () => {
    // A clock belongs to all pages of a context.
    const page = await (await pages.newSession()).newPage();
    await page.clock.install();
    await page.goto(`/console/deliveries/${pages.hermod.waiting.id}?account=${pages.hermod.account.id}`);
    const cancel = page.getByRole("button", { name: "Cancel" });
    await cancel.waitFor();
    let cancellations = 0;
    page.on("request", (each) => {
      if (each.url().endsWith("/cancel")) cancellations++;
    });
    await page.clock.pauseAt(Date.now() + 60_000);
    await cancel.click();
    await page.clock.runFor(4_900);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.clock.runFor(10_000);
    const found = await pages.hermod.client.webhooks.get(pages.hermod.waiting.id);
    expect([found.status, cancellations]).toEqual(["pending", 0]);
    await page.context().close();
  });

  browserTest("a waiting delivery is retried on request, and the page shows it arrive", async () => {
    // A clock belongs to all pages of a context.
    const page = await (await pages.newSession()).newPage();
    await page.clock.install();
    await page.goto(`/console/deliveries/${pages.hermod.waiting.id}?account=${pages.hermod.account.id}`);
    await page.getByText("Waiting for attempt 2").waitFor();
    pages.hermod.repair();
    // The page shows what was done without waiting for its next look at the changes.
    await page.clock.pauseAt(Date.now() + 60_000);
    const changes = page.waitForRequest((each) => each.url().includes("/v1/activity"));
    await page.getByRole("button", { name: "Retry now" }).click();
    await changes;
    await page.clock.resume();
    await page.locator(".pill", { hasText: "Delivered" }).waitFor();
    await page.getByText("HERMOD_ADMIN_KEY asked for an attempt now.").waitFor();
    await page.getByText(/^It was delivered, .* after it was accepted\.$/).waitFor();
    await page.getByRole("link", { name: /Attempt 2:/ }).click();
    await page.getByText("thanks").waitFor();
    await page.context().close();
  });

  browserTest("an erasure needs the number typed, and removes the payload", async () => {
    const page = await pages.opened(`/console/deliveries/${pages.hermod.waiting.id}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Erase payload" }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Erase payload" });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel(/to confirm/).fill("1");
    await confirm.click();
    await page.getByRole("link", { name: "Payload" }).click();
    await page.getByText("The payload was erased").waitFor();
    await page.close();
  });

  browserTest("failed deliveries are counted, and resent as a job", async () => {
    const before = await pages.hermod.client.webhooks.countResendable({ filter: { status: "failed" } });
    expect(before).toEqual({ total: 1, endpoints: 1, skipped: 0 });
    for (const path of [
      "/console/deliveries?event=customer.created",
      `/console/endpoints/${pages.hermod.failed.endpoint_id}`,
    ]) {
      const page = await pages.opened(path);
      await page.setViewportSize({ width: 375, height: 812 });
      await page.getByRole("button", { name: /^Resend \d+ failed$/ }).click();
      // Resends that failed are not sent by a filter.
      const confirm = page.getByRole("dialog").getByRole("button", { name: "Resend 1 delivery" });
      await confirm.waitFor();
      expect(await flawsOf(page, "light")).toEqual([]);
      await confirm.click();
      await page.getByRole("heading", { name: "Resend what failed" }).waitFor();
      const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
      const job = await Array.fromAsync(pages.hermod.client.jobs.watch(id, { intervalMs: 50 }));
      expect(job.at(-1)).toMatchObject({
        kind: "resend",
        status: "completed",
        progress: { total: 1, done: 1 },
      });
      await page.close();
    }
  });

  browserTest("chosen deliveries are resent as a job", async () => {
    const page = await pages.opened("/console/deliveries?status=delivered&event=order.placed");
    const boxes = page.getByRole("checkbox");
    await boxes.nth(0).check();
    await boxes.nth(2).click({ modifiers: ["Shift"] });
    await page.getByRole("button", { name: "Resend 3", exact: true }).waitFor();
    await boxes.nth(1).uncheck();
    await page.getByRole("button", { name: "Resend 2", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resend 2 deliveries" }).click();
    await page.getByRole("heading", { name: "Resend deliveries" }).waitFor();
    await page.getByText("2 done").waitFor();
    await page.close();
  });

  browserTest("a paused endpoint is resumed from a delivery that waits for it", async () => {
    const { data } = await pages.hermod.client.webhooks.list({
      endpoint_id: pages.hermod.staging.id,
      limit: 1,
    });
    const page = await pages.opened(`/console/deliveries/${data[0]?.id}`);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".pill", { hasText: "Delivered" }).waitFor();
    await page.close();
  });

  browserTest("an endpoint is made, its secret is shown, and its receiver is tested", async () => {
    const page = await pages.opened("/console/endpoints/new");
    await page.getByLabel(/^URL/).fill(`${pages.hermod.answering}/new`);
    await page.getByLabel(/^Name/).fill("Made here");
    await page.getByLabel(/^External id/).fill("made-here");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("unwanted.\\u202ewide").waitFor();
    await page.setViewportSize({ width: 375, height: 812 });
    expect(await flawsOf(page, "light")).toEqual([]);
    await page.getByLabel("As patterns").fill("invoice.paid");
    await page.getByLabel(/^Only events for which/).fill("data.amount > 1");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Without an order").click();
    await page.getByRole("button", { name: "Create endpoint" }).click();
    const secret = await page.locator(".secret code").textContent();
    expect(secret).toStartWith("whsec_");
    await page.getByRole("tab", { name: "Go" }).click();
    await page.getByText("hmac.New(sha256.New, key)").waitFor();
    await page.getByRole("button", { name: "Send test event" }).click();
    await page.getByText("The server answered").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("heading", { name: "Made here" }).waitFor();
    const made = await Array.fromAsync(pages.hermod.client.endpoints.all({ q: "made here" }));
    expect(made).toMatchObject([
      {
        event_types: ["invoice.paid"],
        ordering: "unordered",
        external_id: "made-here",
        filter: "data.amount > 1",
      },
    ]);
    await changeSettings(page);
    expect(await pages.hermod.client.endpoints.get(made[0]?.id ?? "")).toMatchObject({
      filter: "data.amount > 2",
      metadata: { team: "billing" },
      content_type: "application/cloudevents+json",
      traceparent: true,
      ordering: "unordered",
    });
    await page.goto(`/console/activity?account=${pages.hermod.account.id}`);
    await page.getByText("url not kept here").first().waitFor();
    await page.close();
  });

  browserTest("the changes of a filter are listed, and saved as CSV", async () => {
    const { client, account } = pages.hermod;
    const { id } = await client.endpoints.create({
      url: `${pages.hermod.answering}/csv`,
      description: "=1+1",
    });
    const page = await pages.opened(`/console/activity?account=${account.id}`);
    const row = page.locator(".activity > li", { hasText: id });
    await row.waitFor();
    await page.getByRole("button", { name: /^operation/ }).click();
    await page.getByRole("option", { name: "created endpoint" }).click();
    await page.getByRole("button", { name: /^actor/ }).click();
    await page.getByRole("option", { name: "HERMOD_ADMIN_KEY" }).click();
    await page.getByRole("button", { name: /^Where/ }).click();
    await page.getByRole("option", { name: "all accounts" }).click();
    await row.getByText("in Kestrel Freight").waitFor();
    const actions = await page.locator(".activity > li p").allTextContents();
    expect(actions.filter((each) => !each.includes("created endpoint"))).toEqual([]);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe("activity.csv");
    const lines = (await Bun.file(await file.path()).text()).split("\r\n");
    expect(lines[0]).toBe(
      "id,at,account_id,actor_kind,actor_id,actor,operation,target,before,after,request_id",
    );
    expect(lines.slice(1).filter((each) => each !== "" && !each.includes(",createEndpoint,"))).toEqual([]);
    const [line = ""] = lines.filter((each) => each.includes(id));
    expect(line).toMatch(/^aud_\w+,\d{4}-[^,]+Z,acc_\w+,key,key_\w+,[^,]*,createEndpoint,ep_\w+,,"\{""/);
    expect(line).toContain('""description"":""=1+1""');
    await client.endpoints.delete(id);
    await page.close();
  });

  browserTest("an event type is imported, described, and its schema tried before it is saved", async () => {
    const page = await pages.opened("/console/event-types");
    await page.setViewportSize({ width: 375, height: 812 });
    const post = { description: "Money came in.", tags: ["Invoices"], responses: {} };
    const document = {
      openapi: "3.1.0",
      info: { title: "a", version: "1" },
      webhooks: { "invoice.paid": { post } },
    };
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByLabel("Document").fill("{");
    const start = page.getByRole("dialog").getByRole("button", { name: "Import" });
    await start.click();
    await page.getByText("The document is not JSON").waitFor();
    const file = {
      name: "events.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(document)),
    };
    await page.getByLabel("File", { exact: true }).setInputFiles(file);
    expect(await flawsOf(page, "light")).toEqual([]);
    await start.click();
    await page.getByText("1 event type is described").waitFor();
    await page.getByRole("treeitem", { name: "invoice.paid" }).click();
    await page.getByText("Money came in.").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel(/^Example/).fill('{"invoice": "INV-1"}');
    await page.getByLabel("Receivers should no longer use it").check();
    expect(await flawsOf(page, "dark")).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("receivers should no longer use it", { exact: true }).waitFor();
    expect(await page.getByRole("heading", { name: "Fields" }).count()).toBe(0);
    await page.getByRole("button", { name: "Write a schema" }).click();
    const schema = { type: "object", required: ["paid_at"], properties: {} };
    await page.getByLabel("JSON Schema").fill(JSON.stringify(schema));
    await page.getByRole("button", { name: /^Try on/ }).click();
    await page.getByText(/^It would have refused (\d+) of the newest \1 payloads/).waitFor();
    await page.getByLabel("JSON Schema").fill(JSON.stringify({ ...schema, required: ["invoice"] }));
    await page.getByRole("button", { name: /^Try on/ }).click();
    await page.getByText(/^It takes the newest \d+ payloads/).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("1 version").waitFor();
    const type = await pages.hermod.client.eventTypes.get("invoice.paid");
    expect(type).toMatchObject({
      description: "Money came in.",
      group: "Invoices",
      example: { invoice: "INV-1" },
      deprecated: true,
      schema_version: 1,
    });
    await page.close();
  });

  browserTest(
    "a schema keeps its numbers as they are written, and its changes are shown before",
    async () => {
      const written =
        '{"type": "object", "required": ["n"], "properties": {"n": {"minimum": 1.50, "const": 12345678901234567890}}}';
      await pages.hermod.client.eventTypes.put("exact.number", { description: "A number." });
      const page = await pages.opened("/console/event-types/exact.number");
      await page.getByRole("button", { name: "Write a schema" }).click();
      await page.getByLabel("JSON Schema").fill(written);
      await page.getByText("at least 1.50").waitFor();
      const sent = page.waitForRequest((each) => each.url().endsWith("/exact.number/schema"));
      await page.getByRole("button", { name: "Save" }).click();
      expect((await sent).postData()).toBe(`{"schema":${written}}`);
      await page.getByText("1 version").waitFor();
      await page.reload();
      const draft = page.getByLabel("JSON Schema");
      await draft.waitFor();
      for (const number of ["1.50", "12345678901234567890"])
        expect(await draft.inputValue()).toContain(number);
      expect(await page.getByRole("heading", { name: "Changes of the draft" }).count()).toBe(0);
      await draft.fill((await draft.inputValue()).replace("1.50", "1.5").replace(/"n"\n/, '"n", "id"\n'));
      const diff = page.getByRole("list", { name: "Changes of the draft" });
      await diff.getByText('removed: "minimum": 1.50').waitFor();
      await diff.getByText('added: "minimum": 1.5,').waitFor();
      await page.getByText("1 property is now required: id.").waitFor();
      // What is coloured lies exactly below what is typed.
      const heights = await page
        .locator(".editor > *")
        .evaluateAll((both) => both.map((each) => [each.scrollHeight, each.scrollWidth].join(" ")));
      expect(heights[0]).toBe(heights[1] ?? "");
      for (const theme of ["light", "dark"] as const) {
        await showIn(page, { colorScheme: theme, width: 1024, height: 800 });
        expect(await flawsOf(page, theme)).toEqual([]);
      }
      await page.close();
    },
  );

  browserTest("an account's schema is compared with the one for all accounts that it replaces", async () => {
    const schema = { type: "object", required: ["a"], properties: { a: {}, b: {} } };
    const { admin, eventTypes } = pages.hermod.client;
    await admin.putSchema("for.all", { schema });
    await eventTypes.putSchema("for.all", { ...schema, required: ["b"] });
    const page = await pages.opened("/console/event-types/for.all");
    await page.getByText("1 property is now required: b.").waitFor();
    await page.getByText("1 property is no longer required: a.").waitFor();
    await page.getByText("1 line added, 1 removed").waitFor();
    await page.close();
  });

  browserTest("a key's text is shown once, in a dialog that only a promise closes", async () => {
    const page = await pages.opened("/console/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("support desk");
    await page.getByRole("button", { name: "Only what support needs" }).click();
    await page.getByRole("button", { name: "Create the key" }).click();
    const text = (await page.locator(".secret code").textContent()) ?? "";
    await page.keyboard.press("Escape");
    expect(await page.locator(".secret code").textContent()).toBe(text);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("table", { name: "Keys, newest first" }).getByText("support desk").waitFor();
    const { permissions } = await new Hermod({ url: pages.hermod.url, key: text }).me();
    expect(permissions.toSorted()).toEqual([
      "endpoints:read",
      "stats:read",
      "webhooks:read",
      "webhooks:retry",
    ]);
    await page.close();
  });
});

browserTest("a list is where it was when a reader comes back to it", async () => {
  const { id } = await pages.hermod.client.endpoints.create({
    url: "http://127.0.0.1:9/tall",
    is_active: false,
  });
  const batch = Array.from({ length: 60 }, () => ({ endpoint_id: id, event: "tall.list", data: {} }));
  await pages.hermod.client.webhooks.sendMany(batch);
  const page = await pages.opened("/console/deliveries?event=tall.list");
  await page.locator("[data-row]").nth(50).waitFor();
  await page.evaluate("scrollTo(0, 1200)");
  await page.locator("[data-row] a.row-link").nth(40).click();
  await page.getByRole("heading", { name: "About this delivery" }).waitFor();
  await page.goBack();
  await until(async () => Math.abs((await page.evaluate<number>("scrollY")) - 1_200) < 400, {
    what: "the scroll",
  });
  await pages.hermod.client.endpoints.delete(id);
  await page.close();
});

describe("the keyboard", () => {
  browserTest("is explained", async () => {
    const page = await pages.opened("/console/deliveries");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await flawsOf(page, "light")).toEqual([]);
    await page.close();
  });

  browserTest("opens a delivery, goes elsewhere and returns without the mouse", async () => {
    const page = await pages.opened("/console/deliveries");
    await page.locator("[data-row]").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    const second = page.locator("[data-row] a.row-link").nth(1);
    await until(() => hasFocus(second));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "About this delivery" }).waitFor();
    await page.goBack();
    await page.locator("[data-row]").first().waitFor();
    // Again if the second key was pressed too late.
    const goToEndpoints = async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("e");
      return new URL(page.url()).pathname === "/console/endpoints";
    };
    await until(goToEndpoints);
    await page.getByRole("table", { name: /^Endpoints/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("warehouse");
    await page.locator("[role=option][aria-selected=true]", { hasText: "Warehouse" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Warehouse" }).waitFor();
    const { health } = await pages.hermod.client.endpoints.get(pages.hermod.warehouse.id);
    await page.getByText(`Complete up to #${health.complete_up_to}`, { exact: true }).waitFor();
    const newest = page.getByRole("table", { name: "Newest deliveries" });
    await newest.getByText(`#${health.complete_up_to}`, { exact: true }).waitFor();
    await page.close();
  });

  browserTest("leaves single keys alone once they are switched off, also after a reload", async () => {
    const page = await pages.opened("/console/deliveries");
    const find = page.getByRole("combobox", { name: "Find anything" });
    const item = page.getByRole("menuitemcheckbox", { name: "Single-key shortcuts" });
    const toggle = async (wasOn: boolean) => {
      await page.locator(".who .person").click();
      expect(await item.getAttribute("aria-checked")).toBe(String(wasOn));
      await item.click();
      await page.keyboard.press("Escape");
    };
    await toggle(true);
    await page.reload();
    const row = page.locator("[data-row] a.row-link").first();
    await row.waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("/");
    expect([await hasFocus(row), await find.count()]).toEqual([false, 0]);
    await page.keyboard.press("Control+k");
    await find.waitFor();
    await page.keyboard.press("Escape");
    await toggle(false);
    await page.locator(".popover").waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await until(() => hasFocus(row));
    await page.close();
  });

  browserTest("belongs to a list of options from the moment that it opens", async () => {
    const page = await pages.opened("/console/deliveries");
    // The page draws in a microtask. A painted frame would need a turn of the event loop.
    const focused = await page.evaluate(`(async () => {
      document.querySelector("button[aria-label^=Outcome]").click();
      for (let n = 0; n < 10; n++) await Promise.resolve();
      return document.activeElement.getAttribute("aria-label");
    })()`);
    expect(focused).toBe("Outcome");
    await page.close();
  });

  browserTest("changes a filter, which the URL has, and a dialog gives the focus back", async () => {
    const page = await pages.opened("/console/deliveries");
    await page.getByRole("button", { name: /^Outcome/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "failed" }).waitFor();
    for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/status=failed/);
    await page.getByRole("button", { name: /^Time/ }).click();
    await page.getByRole("button", { name: "Apply" }).waitFor();
    expect(await page.locator(".popover").evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");
    const find = page.getByRole("button", { name: /^Find anything/ }).first();
    await find.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Find anything" }).waitFor();
    await page.keyboard.press("Escape");
    await until(() => hasFocus(find));
    await page.goto(`/console/deliveries?event=order.*&account=${pages.hermod.account.id}`);
    await page.getByText("A list is of one event type").waitFor();
    await page.goto("/console/all?tab=deliveries&event=order.*");
    await page.getByText("A list is of one event type").waitFor();
    await page.close();
  });
});
