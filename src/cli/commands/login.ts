import { transportOf } from "../../client/transport";
import { originOf } from "../connection";
import { ConsoleLogin } from "../console-login";
import { UsageError } from "../failure";
import { fetchLocally, isLoopback } from "../local-fetch";
import { PROFILE_NAME, type Profile, profileNamed, withoutProfile, withProfile } from "../profiles";
import type { CommandSession } from "../session";
import type { Add } from "./command";

export const addLogin: Add = (parent, session) => {
  parent
    .command("login")
    .summary("Save an API key for a service, and use both from now on.")
    .description(
      "Save an API key for a service, and use both from now on, wherever no other service is named. Opens the console, where a person " +
        "who is signed in confirms it, or takes a key that is pasted. Without a terminal the key is read from standard input.",
    )
    .option("--no-browser", "don't open the console")
    .action(async ({ browser }) => {
      const url = await addressOf(session);
      const key = await keyFor(session, url, browser);
      const { account } = session.given;
      const profile: Profile = { url, key, ...(account !== undefined && { account }) };
      const me = await transportOf({ ...profile, fetch: fetchLocally }).call("get", "/v1/me", {});
      const name = session.profile ?? nameFor(url);
      await session.changeProfiles((before) => withProfile(before, name, profile));
      session.output.note(
        `Logged in. Commands ask ${originOf(url)} from now on, unless another service is named.`,
      );
      const { name: keyName, permissions } = me;
      session.output.one({ profile: name, url, account: me.account.id, key: keyName, permissions });
    });
};

export const addLogout: Add = (parent, session) => {
  parent
    .command("logout")
    .summary("Forget a saved key.")
    .description(
      "Forget the saved key of --profile, or of the profile in use. The key stays valid at the service.",
    )
    .action(async () => {
      const profiles = await session.profiles();
      const name = session.profile ?? profiles.current;
      if (name === null) throw new UsageError("No profile is in use", "hermod profiles list");
      const { url } = profileNamed(profiles, name);
      await session.changeProfiles((before) => withoutProfile(before, name));
      const page = keysPageOf(url);
      session.output.done(`Forgot the key of the profile ${name}. Revoke it at ${page}.`, { removed: name });
    });
};

/** Finds the service: by an option or a variable, else by the profile that is to be replaced, else by asking. */
async function addressOf(session: CommandSession): Promise<string> {
  const { env, ask } = session.context;
  const { byName } = await session.profiles();
  const before = session.profile === null ? undefined : byName[session.profile];
  const named = session.given.url || before?.url || env.HERMOD_URL;
  const url = named || (await ask("The service's address, such as https://hermod.example.com: "))?.trim();
  if (!url) throw new UsageError("Give the service's address", "hermod login --url <url>");
  const { protocol, hostname } = new URL(originOf(url) && url);
  if (protocol === "http:" && !isLoopback(hostname))
    session.output.note(`The connection to ${url} is not encrypted: others may read the key.`);
  return url;
}

async function keyFor(session: CommandSession, url: string, mayOpen: boolean): Promise<string> {
  const { askSecret, openPage, readInput } = session.context;
  if (session.given.key) return session.given.key;
  const input = readInput();
  if (input !== null) return checked(new TextDecoder().decode(await input));
  await using login = await ConsoleLogin.open();
  const page = login.pageOf(url);
  session.output.note(
    `Confirm the code ${await login.code()} in the console, or paste a key of ${keysPageOf(url)} here:`,
  );
  session.output.note(page);
  if (mayOpen) openPage(page);
  const ending = new AbortController();
  const typing = askSecret("Key: ", ending.signal);
  try {
    return checked(await Promise.race([login.key(), ...(typing ? [typing] : [])]));
  } finally {
    ending.abort();
  }
}

function checked(text: string): string {
  const key = text.trim();
  if (key === "") throw new UsageError("The key is empty");
  return key;
}

function keysPageOf(url: string): string {
  return `${url.replace(/\/$/, "")}/console/keys`;
}

/** Names a profile after its service, unless --profile does. */
function nameFor(url: string): string {
  const { host } = new URL(url);
  return host.replaceAll(/[^\w.:-]/g, "").slice(0, PROFILE_NAME.maxLength);
}
