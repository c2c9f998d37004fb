import { useState } from "preact/hooks";
import type { Certification, Endpoint } from "../../client/types";
import { answerOf } from "../shared/answer";
import { call } from "../shared/api";
import { duration } from "../shared/format";
import { FormDialog } from "../shared/forms";
import { Icon, type IconName } from "../shared/icon";
import { partTexts } from "../shared/texts";

type Check = Certification["checks"][number];

/** Sends trials to the endpoint's server, and shows what it did with each and what to mend. */
export function Certify({ endpoint, onClose }: { endpoint: Pick<Endpoint, "id">; onClose(): void }) {
  const t = partTexts.value;
  const [report, setReport] = useState<Certification | null>(null);
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    setRunning(true);
    setReport(null);
    try {
      setReport(await call("post", "/v1/endpoints/{id}/certify", { path: { id: endpoint.id } }));
    } finally {
      setRunning(false);
    }
  };
  const action = report === null ? t.sendTrials : t.sendTrialsAgain;
  return (
    <FormDialog title={t.certify} action={action} isReady={!isRunning} isPanel onClose={onClose} submit={run}>
      <p class="dim">{t.certifyHint}</p>
      <div aria-live="polite" class="stack">
        {isRunning && <p>{t.certifying}</p>}
        {report && <Report report={report} />}
      </div>
    </FormDialog>
  );
}

function Report({ report: { outcome, checks } }: { report: Certification }) {
  const t = partTexts.value;
  return (
    <>
      <p>
        <strong>{t.certified[outcome]}</strong>
      </p>
      <ul class="checks">
        {checks.map((each) => (
          <Checked key={each.check} check={each} />
        ))}
      </ul>
    </>
  );
}

const LOOKS: Readonly<Record<Check["outcome"], { name: IconName; look: string }>> = {
  passed: { name: "check", look: "good" },
  warning: { name: "info", look: "warn" },
  failed: { name: "alert", look: "bad" },
  not_tried: { name: "slash", look: "dim" },
};

function Checked({ check: { check, outcome, reason, answer } }: { check: Check }) {
  const t = partTexts.value;
  const { name, look } = LOOKS[outcome];
  const mend = reason && (t.checkMends[`${check}_${reason}`] ?? t.checkMends[reason]);
  const facts = [
    t.checkOutcomes[outcome],
    ...(answer ? [answerOf(answer), duration(answer.duration_ms)] : []),
    ...(answer?.location ? [answer.location] : []),
  ];
  return (
    <li class={look}>
      <Icon name={name} />
      <div>
        <strong>{t.checkTitles[check]}</strong>
        <p class="faint break">{facts.join(", ")}</p>
        {mend && <p class="dim">{mend}</p>}
      </div>
    </li>
  );
}
