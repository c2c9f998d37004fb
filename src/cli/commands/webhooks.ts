import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { AccountDelivery, Delivery, ResendSelection } from "../../client";
import type { Columns } from "../output";
import { watchJob } from "../progress";
import { EVERY, WATCH, watched } from "../watch";
import type { Add } from "./command";
import { groupOf } from "./group";
import { type SearchFlags, searchOf, withSearch } from "./search";
import { readStatus, wholeNumber } from "./values";

/** The columns of lists of deliveries. */
export const DELIVERY_COLUMNS: Columns<Delivery> = [
  ["CREATED", 24, ({ created_at }) => created_at],
  ["ID", 29, ({ id }) => id],
  ["ENDPOINT", 29, ({ endpoint_id }) => endpoint_id],
  ["STATUS", 9, ({ status }) => status],
  ["TRIES", 5, ({ attempt_count }) => attempt_count],
  ["HTTP", 4, ({ response_status }) => response_status],
  ["EVENT", 0, ({ event }) => event],
];

/** The column with the account, first in lists of all accounts. */
const ACCOUNT_COLUMN = ["ACCOUNT", 30, ({ account_id }: { account_id: string }) => account_id] as const;
const ALL_ACCOUNTS = "of all accounts; needs the permission accounts:act";

const ACCOUNT_COLUMNS: Columns<AccountDelivery> = [ACCOUNT_COLUMN, ...DELIVERY_COLUMNS];
const LIMIT = 20;

export const addWebhooks: Add = (parent, session) => {
  const group = groupOf(parent, "webhooks");
  withSearch(group.command("list"))
    .description("List deliveries, newest first.")
    .option("--after <time>", "only deliveries created at or after this time (ISO 8601; UTC by default)")
    .option("--before <time>", "only deliveries created before this time (ISO 8601; UTC by default)")
    .option("--oldest-first", "oldest first, in the order of acceptance")
    .addOption(new Option("--all-accounts", ALL_ACCOUNTS).conflicts("oldestFirst"))
    .option("--limit <n>", "show at most this many", wholeNumber(1), LIMIT)
    .option(...WATCH)
    .option(...EVERY)
    .action(async ({ after, before, oldestFirst, allAccounts, limit, watch, every, ...search }) => {
      const hermod = await session.hermod();
      const query = { ...searchOf(search), after, before, limit: Math.min(limit + 1, 100) };
      await watched(session, { watch, every }, async () => {
        if (allAccounts)
          return session.output.list(hermod.admin.allDeliveries(query), ACCOUNT_COLUMNS, limit);
        const found = oldestFirst ? hermod.webhooks.allOldestFirst(query) : hermod.webhooks.all(query);
        await session.output.list(found, DELIVERY_COLUMNS, limit);
      });
    });
  group
    .command("count")
    .description("Count deliveries.")
    .option("--status <status>", "only pending, delivered, failed or cancelled deliveries", readStatus)
    .option("--event <type>", "only deliveries of this event type")
    .action(async (query) => {
      const hermod = await session.hermod();
      const { total } = await hermod.webhooks.page({ ...query, per_page: 1 });
      session.output.one({ total });
    });
  withSearch(group.command("resend-many"))
    .summary("Resend many deliveries as a job.")
    .description(
      "Resend these deliveries, or the deliveries that the options select, as a job, and show the progress.",
    )
    .option("--after <time>", "only deliveries created at or after this time (ISO 8601; UTC by default)")
    .option("--before <time>", "only deliveries created before this time (ISO 8601; UTC by default)")
    .option("--ids <ids...>", "these deliveries, instead of a search")
    .option("--dry-run", "count them, and start no job")
    .option("--no-wait", "start the job without waiting for its end")
    .action(async ({ ids = [], dryRun, wait, ...filters }) => {
      const selection = resendOf(ids, filters);
      const hermod = await session.hermod();
      if (dryRun) return session.output.one(await hermod.webhooks.countResendable(selection));
      const job = await hermod.webhooks.resendMany(selection);
      if (wait) await watchJob(session, hermod, job.id);
      else session.output.one(job);
    });
};

type ResendFlags = SearchFlags & { after?: string | undefined; before?: string | undefined };

/** Makes the selection of a resend, by ids or by options. */
function resendOf(ids: string[], { after, before, ...flags }: ResendFlags): ResendSelection {
  const isFiltered = [after, before, ...Object.values(flags)].some((each) => each !== undefined);
  if (ids.length > 0 && !isFiltered) return { ids };
  if (ids.length > 0) throw new InvalidArgumentError("Give either ids or options that select deliveries.");
  const { status, event, endpoint, data, responseStatus, error, orderingKey, sequence } = flags;
  if (status === undefined || status === "pending")
    throw new InvalidArgumentError("--status must be failed, delivered or cancelled.");
  const fields = Object.entries(data ?? {}).map(([name, value]) => [name.slice("data.".length), value]);
  return {
    filter: {
      status,
      event_type: event,
      endpoint_id: endpoint,
      after,
      before,
      response_status: responseStatus,
      error,
      ordering_key: orderingKey,
      sequence,
      ...(fields.length > 0 && { data: Object.fromEntries(fields) }),
    },
  };
}
