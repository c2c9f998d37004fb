import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Browser, chromium } from "playwright-core";
import { CLIENT_ID, CLIENT_SECRET, startProvider, type TestProvider } from "../oidc/provider";
import { CHROMIUM } from "./chromium";
import { type Installation, openInstallation } from "./installation";
import { flawsOf, watch } from "./page-flaws";

const browserTest = test.skipIf(CHROMIUM === null);

let provider: TestProvider;
let hermod: Installation;
let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM === null) return;
  const settingsAt = async (url: string) => {
    provider = await startProvider([`${url}/console/oidc/callback`]);
    return {
      HERMOD_OIDC_ISSUER: provider.issuer,
      HERMOD_OIDC_CLIENT_ID: CLIENT_ID,
      HERMOD_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    };
  };
  [hermod, browser] = await Promise.all([
    openInstallation(settingsAt),
    chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] }),
  ]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await hermod?.close();
  await provider?.stop();
}, 60_000);

browserTest(
  "a person signs in with the identity provider, sees what the role may do, and signs out",
  async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(10_000);
    const seen = watch(page);
    provider.is({ roles: [], email: "kim@example.com" });
    await page.goto(`${hermod.url}/console/endpoints?health=failing`);
    const button = page.getByRole("link", { name: "Sign in with single sign-on" });
    await button.click();
    await page.getByRole("alert").getByText("You have no role in Hermod").waitFor();
    expect(await flawsOf(page, "light")).toEqual([]);

    provider.is({ roles: ["viewer"], email: "kim@example.com" });
    await button.click();
    await page.getByRole("heading", { name: "Endpoints" }).waitFor();
    expect(page.url()).toBe(`${hermod.url}/console/endpoints?health=failing`);
    await page.getByText("kim@example.com").first().waitFor();
    expect(await page.getByRole("link", { name: "New endpoint" }).count()).toBe(0);

    await page.getByRole("button", { name: /^Account/ }).click();
    await page.getByRole("option", { name: /Kestrel Freight/ }).click();
    await page.getByText("Production").first().waitFor();
    expect(page.url()).toContain(`account=${hermod.account.id}`);

    // Who may act for each account sees all of them at once.
    await page.getByRole("link", { name: "All accounts" }).click();
    await page
      .getByRole("table", { name: "Deliveries of all accounts, newest first" })
      .getByText("Kestrel Freight")
      .first()
      .waitFor();
    expect(await page.getByRole("link", { name: "System" }).count()).toBe(0);

    await page.getByRole("button", { name: "kim@example.com" }).click();
    await page.getByText("Sign out").click();
    await button.waitFor();
    await page.reload();
    await button.waitFor();
    // Without a session the page is answered 401, and asks to sign in.
    expect(seen().filter((each) => !each.includes("401 (Unauthorized)"))).toEqual([]);
    await page.context().close();
  },
);
