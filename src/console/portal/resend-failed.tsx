import { useState } from "preact/hooks";
import type { ResendCount } from "../../client/types";
import { type Filters, rangeOf } from "../pages/delivery-filters";
import { call } from "../shared/api";
import { Dialog } from "../shared/dialog";
import { Icon } from "../shared/icon";
import { problemText } from "../shared/parts";
import { serverNow } from "../shared/server-clock";
import { say } from "../shared/toast";
import { texts } from "./session";

/** Counts the failed deliveries up to now, and resends them after a confirmation. */
export function ResendFailed({ filters, reload }: { filters: Filters; reload(): void }) {
  const t = texts.value;
  const [counted, setCounted] = useState<{ before: string; total: number } | null>(null);
  const resend = (before: string, dry_run: boolean) => {
    const filter = {
      status: "failed" as const,
      ...(filters.endpoint !== null && { endpoint_id: filters.endpoint }),
      ...(filters.event !== null && { event_type: filters.event }),
      ...rangeOf(filters, Date.parse(before)),
    };
    return call("post", "/v1/webhooks/resend", { body: { filter: { before, ...filter }, dry_run } });
  };
  const attempt = (work: () => Promise<void>) => work().catch((error) => say(problemText(error)));
  const ask = () =>
    attempt(async () => {
      const before = new Date(serverNow()).toISOString();
      const { total } = (await resend(before, true)) as ResendCount;
      setCounted({ before, total });
    });
  const close = () => setCounted(null);
  const start = (before: string) =>
    attempt(async () => {
      close();
      await resend(before, false);
      say(t.resending);
      reload();
    });
  return (
    <>
      <button type="button" class="btn sm" onClick={() => void ask()}>
        <Icon name="retry" small />
        {t.resendFailed}
      </button>
      {counted && (
        <Dialog title={t.resendFailed} onClose={close}>
          <div class="dialog-body">
            <p>{t.resendHint(counted.total)}</p>
            <div class="dialog-actions">
              <button type="button" class="btn" onClick={close}>
                {t.back}
              </button>
              {counted.total > 0 && (
                <button type="button" class="btn pri" onClick={() => void start(counted.before)}>
                  {t.resend} ({counted.total})
                </button>
              )}
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
