import { RetryEndpoint } from "../pages/actions";
import type { Filters } from "../pages/delivery-filters";
import type { DeliveryList } from "../pages/delivery-list";
import { useEndpoints } from "../pages/endpoint-data";
import { addressOf } from "../shared/endpoint-name";
import { shownZone } from "../shared/format";
import { Icon } from "../shared/icon";
import { copyText } from "../shared/parts";
import { plainText } from "../shared/sentence";
import { Sentences } from "../shared/sentence-view";
import { now } from "../shared/server-clock";
import {
  type AnswerFacts,
  countedSentence,
  isHeldBack,
  scopeWords,
  waitSentences,
  waitsOf,
} from "./answer-sentences";
import { useSummary } from "./summary";
import { countsOf } from "./words";

/** The answer to the filters of a list, in sentences. */
export function AnswerLine({ filters, list }: { filters: Filters; list: DeliveryList }) {
  const endpoints = useEndpoints().data ?? [];
  const summary = useSummary(filters);
  const rows = list.rows.value;
  if (!list.isLoaded.value || rows.length === 0) return null;
  const isWhole = list.cursor.value === null && list.fresh.value.length === 0;
  const facts: AnswerFacts = {
    rows,
    isWhole,
    counted: filters.status === null ? summary : null,
    endpoints,
  };
  const waits = waitsOf(facts);
  const held = waits.filter(isHeldBack);
  const sentences = [[countedSentence(facts)], ...waitSentences(waits, isWhole)];
  const shown = countsOf(rows);
  const [tone, icon] =
    held.length > 0
      ? ["warn", "clock"]
      : shown.failed > 0
        ? ["bad", "alert"]
        : ["calm", shown.pending > 0 ? "send" : "check"];
  const copy = () => {
    const answer = plainText(sentences, now.value, addressOf);
    const lines = [
      `${scopeWords(filters, endpoints, now.value)}: ${answer}`,
      `Times are in ${shownZone.value}.`,
    ];
    void copyText(lines.join("\n"), "The reply is copied.");
  };
  const [first, ...rest] = sentences;
  return (
    <div class={`note ${tone}`}>
      <Icon name={icon} />
      <div class="answer">
        <p>
          <strong>{first}</strong> <Sentences sentences={rest} />
        </p>
      </div>
      <span class="row end">
        <button type="button" class="btn sm" onClick={copy}>
          <Icon name="copy" small />
          Copy as reply
        </button>
        {held[0] && held.length === 1 && <RetryEndpoint endpoint={held[0].endpoint} isHeldBack isSmall />}
      </span>
    </div>
  );
}
