import { eventText } from "../../api/live/event-text";
import type { LiveSource } from "../../api/live/live-streams";
import type { AccountId } from "../../domain/ids";
import type { Jobs } from "../../jobs/jobs";
import { viewOfJob } from "./job";

/** Streams the latest jobs, and then each job whenever it changes. */
export function changesOf(jobs: Jobs, accountId: AccountId): LiveSource {
  let shown = new Map<string, string>();
  return {
    position: undefined,
    next: async () => {
      const views = (await jobs.current(accountId)).map(viewOfJob);
      const now = new Map(views.map((view) => [view.id, JSON.stringify(view)]));
      const changed = [...now].filter(([id, json]) => shown.get(id) !== json);
      shown = now;
      return { text: changed.map(([, json]) => eventText({ name: "job", json })).join(""), more: false };
    },
  };
}
