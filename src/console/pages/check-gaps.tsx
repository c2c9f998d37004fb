import { useState } from "preact/hooks";
import type { Endpoint, EndpointLog } from "../../client/types";
import { call } from "../shared/api";
import { count } from "../shared/format";
import { FormDialog } from "../shared/forms";
import { partTexts } from "../shared/texts";

/** The numbers behind the last one that a receiver has, as far as they were read. */
type NumbersAfter = Readonly<{ last: number; completeUpTo: number; read: EndpointLog["data"] }>;

const PAGE = 500;
/** Most numbers that are read one by one. */
const MOST_READ = 2_000;
/** Most numbers that are named. */
const MOST_NAMED = 20;

/** Says what came after the last number that a receiver has, and which of these numbers it did not get. */
export function CheckGaps({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const t = partTexts.value;
  const [found, setFound] = useState<NumbersAfter | null>(null);
  const check = async (form: FormData) => setFound(await numbersAfter(endpoint.id, Number(form.get("last"))));
  return (
    <FormDialog title={t.checkGaps} action={t.check} onClose={onClose} submit={check}>
      <p>{t.checkGapsHint}</p>
      <label>
        {t.lastNumber}
        <input class="input num" name="last" type="number" min="0" step="1" required />
      </label>
      {found && (
        <ul aria-live="polite" class="plain">
          {sentencesOf(found).map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}

async function numbersAfter(id: string, last: number): Promise<NumbersAfter> {
  const read: EndpointLog["data"] = [];
  for (let from = last + 1; ; ) {
    const page = await call("get", "/v1/endpoints/{id}/log", { path: { id }, query: { from, limit: PAGE } });
    read.push(...page.data);
    const isAll = page.data.length === 0 || page.next_from > page.complete_up_to;
    if (isAll || read.length >= MOST_READ) return { last, completeUpTo: page.complete_up_to, read };
    from = page.next_from;
  }
}

function sentencesOf({ last, completeUpTo, read }: NumbersAfter): string[] {
  const t = partTexts.value;
  const end = read.at(-1)?.sequence;
  if (end === undefined) return [t.nothingAfter(Math.min(last, completeUpTo))];
  const missed = read.filter(({ status }) => status !== "delivered").map(({ sequence }) => count(sequence));
  const named = missed.slice(0, MOST_NAMED).join(", ");
  return [
    t.cameAfter(last + 1, completeUpTo),
    missed.length === 0
      ? t.allDelivered(end)
      : t.missedNumbers(missed.length > MOST_NAMED ? `${named} …` : named),
    ...(end < completeUpTo ? [t.checkedUpTo(end)] : []),
  ];
}
