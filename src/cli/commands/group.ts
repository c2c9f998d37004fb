import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** The descriptions of the groups. */
const GROUPS: Readonly<Record<string, string>> = {
  webhooks: "Find and manage deliveries.",
  events: "Find events, and the endpoints that got them or did not.",
  endpoints: "Manage the receivers of webhooks.",
  "event-types": "Manage event types and the schemas of their payloads.",
  jobs: "Follow replays and erasures, which run in the background.",
  keys: "Manage the account's keys.",
  "receiver-keys": "Manage the keys with which an endpoint's receiver reads its deliveries.",
  accounts: "Manage accounts; needs the permission admin, or accounts:act to list and read them.",
  cells: "See the cells of a router, and place accounts in them; needs the permission admin.",
  profiles: "Manage the services and keys that `hermod login` has saved.",
  plans: "Manage accounts' limits; needs the permission admin.",
};

/** Returns a group of commands; adds it if it does not exist yet. */
export function groupOf(parent: CommandUnknownOpts, name: string): CommandUnknownOpts {
  const known = parent.commands.find((each) => each.name() === name);
  return known ?? parent.command(name).description(GROUPS[name] ?? "");
}
