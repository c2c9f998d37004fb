import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { CLIENT_ID, CLIENT_SECRET, startProvider, type TestProvider } from "../oidc/provider";
import { type SubPathProxy, startSubPathProxy } from "../support/sub-path-proxy";
import { browserTest, signIn, usePages } from "./browser";
import { flawsOf, watch } from "./page-flaws";

let provider: TestProvider;
let proxy: SubPathProxy;
// Below a path, which all addresses of the pages and the provider must have.
const pages = usePages(async (url) => {
  proxy = startSubPathProxy(() => url, { removesPath: false });
  provider = await startProvider([`${proxy.url}/console/oidc/callback`]);
  return {
    HERMOD_PUBLIC_URL: proxy.url,
    HERMOD_OIDC_ISSUER: provider.issuer,
    HERMOD_OIDC_CLIENT_ID: CLIENT_ID,
    HERMOD_OIDC_CLIENT_SECRET: CLIENT_SECRET,
  };
});
afterAll(() => Promise.all([provider?.stop(), proxy?.stop()]));

/** Ends the page's session without its knowledge. Not from within the page, which may leave before the answer. */
async function endSession(page: Page): Promise<void> {
  const url = `${proxy.url}/v1/sessions`;
  const { request } = page.context();
  const { csrf_token } = await (await request.get(url)).json();
  const ended = await request.delete(url, {
    headers: { "x-hermod-csrf": csrf_token, "sec-fetch-site": "same-origin" },
  });
  expect(ended.ok()).toBe(true);
}

/** Lets a page believe that its session has lasted its time. */
const END_SESSIONS_NOW = `
  const ask = window.fetch;
  window.fetch = async (input, init) => {
    const answer = await ask(input, init);
    if (!String(input).endsWith("/v1/sessions") || !answer.ok) return answer;
    return Response.json({ ...(await answer.json()), expires_at: new Date().toISOString() });
  };
`;

browserTest(
  "a person signs in with the identity provider, sees what the role may do, and signs out",
  async () => {
    const page = await pages.fresh();
    const seen = watch(page);
    provider.is({ roles: [], email: "kim@example.com" });
    await page.goto(`${proxy.url}/console/endpoints?health=failing`);
    const button = page.getByRole("link", { name: "Sign in with single sign-on" });
    await button.click();
    await page.getByRole("alert").getByText("You have no role in Hermod").waitFor();
    expect(await flawsOf(page, "light")).toEqual([]);

    // The provider's words about a refusal are in a cookie.
    const name = `hermod-oidc-said-${new URL(proxy.url).port}`;
    const value = encodeURIComponent("access_denied: Kim; not assigned");
    await page.context().addCookies([{ name, value, url: proxy.url }]);
    await page.goto(`${proxy.url}/console/endpoints?health=failing&error=oidc_failed`);
    await page.getByRole("alert").getByText("It answered: access_denied: Kim; not assigned").waitFor();

    provider.is({ roles: ["viewer"], email: "kim@example.com" });
    await button.click();
    await page.getByRole("heading", { name: "Endpoints", exact: true }).waitFor();
    expect(page.url()).toBe(`${proxy.url}/console/endpoints?health=failing`);
    await page.getByText("kim@example.com").first().waitFor();
    expect(await page.getByRole("link", { name: "New endpoint" }).count()).toBe(0);

    await page.getByRole("button", { name: /^Account/ }).click();
    await page.getByRole("option", { name: /Kestrel Freight/ }).click();
    await page.getByText("Production").first().waitFor();
    expect(page.url()).toContain(`account=${pages.hermod.account.id}`);

    // A person who may act for each account sees all of them at once.
    await page.getByRole("link", { name: "All accounts" }).click();
    await page.getByRole("link", { name: "Deliveries", exact: true }).last().click();
    await page
      .getByRole("table", { name: "Deliveries of all accounts, newest first" })
      .getByText("Kestrel Freight")
      .first()
      .waitFor();
    expect(await page.getByRole("link", { name: "System" }).count()).toBe(0);

    // The session's time is up: the page goes to the provider, and comes back with the role of that moment.
    await page.addInitScript(END_SESSIONS_NOW);
    await page.goto(`${proxy.url}/console/endpoints?health=failing`);
    await page.getByRole("heading", { name: "Endpoints", exact: true }).waitFor();
    provider.is({ roles: ["operator"], email: "kim@example.com" });
    await endSession(page);
    const back = page.waitForResponse(/\/console\/oidc\/callback/);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await back;
    await page.getByRole("heading", { name: "Deliveries", exact: true }).waitFor();
    expect(page.url()).toBe(`${proxy.url}/console/deliveries`);
    await page.getByRole("link", { name: "Endpoints", exact: true }).click();
    await page.getByRole("link", { name: "New endpoint" }).first().waitFor();

    await page.getByRole("button", { name: "kim@example.com" }).click();
    await page.getByText("Sign out").click();
    await button.waitFor();
    await page.reload();
    await button.waitFor();
    // Without a session the page is answered 401, and asks to sign in.
    expect(seen().filter((each) => !each.includes("401 (Unauthorized)"))).toEqual([]);
    expect(proxy.strays).toEqual([]);
    await page.context().close();
  },
);

browserTest("below a path that a proxy removes, every page, link and stream has it", async () => {
  const removing = startSubPathProxy(() => pages.hermod.url, { removesPath: true });
  const page = await pages.fresh();
  const seen = watch(page);
  await signIn(page, `${removing.url}/console`);
  const cookies = await page.context().cookies();
  expect(cookies.map(({ path }) => path)).toEqual(["/hermod"]);

  const { account, client } = pages.hermod;
  await page.goto(`${removing.url}/console/deliveries?account=${account.id}`);
  await page.getByRole("heading", { name: "Deliveries", exact: true }).waitFor();
  await client.events.publish({ event: "order.live", data: {} });
  await page.getByText("order.live").first().waitFor();
  await page
    .getByRole("link", { name: /^Endpoints/ })
    .first()
    .click();
  await page.getByText("Production").first().click();
  await page.waitForURL(`${removing.url}/console/endpoints/ep_*`);
  await page.reload();
  await page.getByRole("heading", { name: /Production/ }).waitFor();
  const addresses = await page
    .locator("a[href]")
    .evaluateAll((links) => links.map((each) => String(each.getAttribute("href"))));
  expect(addresses.length).toBeGreaterThan(10);
  expect(addresses.filter((each) => each.startsWith("/") && !each.startsWith("/hermod/"))).toEqual([]);
  await page.goBack();
  await page.waitForURL(`${removing.url}/console/endpoints?*`);
  await page.getByText("Warehouse").first().waitFor();

  const link = await pages.linkFor({});
  await page.goto(link.replace(proxy.url, removing.url));
  await page.getByRole("link", { name: "Deliveries" }).click();
  await page.waitForURL(`${removing.url}/portal/deliveries`);
  await page.getByText("order.live").first().waitFor();

  await page.goto(`${removing.url}/swagger`);
  await page.locator(".opblock").first().waitFor();
  expect(await page.locator(".servers option").allTextContents()).toEqual(["/hermod"]);
  expect(removing.strays).toEqual([]);
  expect(seen().filter((each) => !each.includes("401 (Unauthorized)"))).toEqual([]);
  await page.context().close();
  await removing.stop();
});
