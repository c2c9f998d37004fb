import type { Columns } from "../output";
import { profileNamed, withoutProfile } from "../profiles";
import type { Add } from "./command";
import { groupOf } from "./group";

type ListedProfile = Readonly<{ name: string; url: string; account: string | null; is_used: boolean }>;

const COLUMNS: Columns<ListedProfile> = [
  ["USED", 4, ({ is_used }) => (is_used ? "*" : "")],
  ["NAME", 20, ({ name }) => name],
  ["ACCOUNT", 30, ({ account }) => account],
  ["URL", 0, ({ url }) => url],
];

export const addProfiles: Add = (parent, session) => {
  const group = groupOf(parent, "profiles");
  group
    .command("list")
    .description("List the saved profiles, without their keys.")
    .action(async () => {
      const { current, byName } = await session.profiles();
      const listed = Object.entries(byName).map(
        ([name, { url, account = null }]): ListedProfile => ({
          name,
          url,
          account,
          is_used: name === current,
        }),
      );
      await session.output.list(listed, COLUMNS);
    });
  group
    .command("use <name>")
    .description("Use a profile from now on, wherever no other service is named.")
    .action(async (name) => {
      await session.changeProfiles((before) => ({ ...before, current: profileNamed(before, name) && name }));
      session.output.done(`Commands use the profile ${name} from now on.`, { used: name });
    });
  group
    .command("remove <name>")
    .description("Forget a profile with its key. The key stays valid at the service.")
    .action(async (name) => {
      await session.changeProfiles((before) => withoutProfile(before, name));
      session.output.done(`Forgot the profile ${name}.`, { removed: name });
    });
};
