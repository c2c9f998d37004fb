import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { DeliveryDetail } from "../../client/types";
import { acceptsForgery, answerOf, isSuccess } from "./answer";
import { call } from "./api";
import { Code } from "./code";
import { Dialog } from "./dialog";
import { duration } from "./format";
import { Icon } from "./icon";
import { Problem } from "./parts";
import { useResource } from "./resource";
import { partTexts } from "./texts";

type EndpointTestProps = {
  endpointId: string;
  /** Whether its receiver can verify: chat services don't. */
  verifies: boolean;
  hrefOf(deliveryId: string): string;
  onClose(): void;
};

/** Sends a test event, then one with a wrong signature if the person asks for it, and says what the answers mean. */
export function EndpointTest({ endpointId, verifies, hrefOf, onClose }: EndpointTestProps) {
  const t = partTexts.value;
  const genuine = useTest(endpointId, false);
  const forged = useTest(endpointId, true);
  useEffect(() => void genuine.send(), []);
  const problem = genuine.problem ?? forged.problem;
  const attempt = genuine.delivery?.attempts.at(-1);
  return (
    <Dialog title={t.test} onClose={onClose}>
      <div class="dialog-body" role="status">
        <ul class="checks">
          <Genuine delivery={genuine.delivery} />
          <Forged delivery={forged.delivery} isSent={forged.isSent} />
        </ul>
        {problem !== null && <Problem error={problem} />}
        {attempt?.response_body && <Code label={t.answerBody} text={attempt.response_body} />}
        {genuine.delivery && (
          <p>
            <a class="link" href={hrefOf(genuine.delivery.id)}>
              {t.openDelivery}
            </a>
          </p>
        )}
        {verifies && attempt && !forged.isSent && (
          <div class="dialog-actions spread">
            <p class="dim">{t.forgeHint}</p>
            <button type="button" class="btn" onClick={() => void forged.send()}>
              <Icon name="shield" />
              {t.forge}
            </button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** A test event, followed from the request until the delivery has ended. */
function useTest(endpointId: string, forged: boolean) {
  const [id, setId] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const { data } = useResource(
    id === null ? null : `delivery ${id}`,
    () => call("get", "/v1/webhooks/{id}", { path: { id: id ?? "" } }),
    { every: 700 },
  );
  const send = async () => {
    setSent(true);
    try {
      const body = forged ? { forged } : {};
      setId((await call("post", "/v1/endpoints/{id}/test", { path: { id: endpointId }, body })).id);
    } catch (error) {
      setProblem(error);
    }
  };
  return { delivery: data, isSent, problem, send };
}

function Genuine({ delivery }: { delivery: DeliveryDetail | null }) {
  const t = partTexts.value;
  const attempt = delivery?.attempts.at(-1);
  if (!attempt) return <Pending delivery={delivery} />;
  if (attempt.status === 0) return <Check isGood={false}>{t.testUnanswered(answerOf(attempt))}</Check>;
  return (
    <>
      <Check isGood={isSuccess(attempt.status)}>
        {isSuccess(attempt.status)
          ? t.tested(answerOf(attempt), duration(attempt.duration_ms))
          : t.testRefused(answerOf(attempt))}
      </Check>
      {attempt.timing?.tls_ms != null && <Check isGood>{t.testCertificate}</Check>}
    </>
  );
}

function Forged({ delivery, isSent }: { delivery: DeliveryDetail | null; isSent: boolean }) {
  if (!isSent) return null;
  const attempt = delivery?.attempts.at(-1);
  if (!delivery || !attempt) return <Pending delivery={delivery} />;
  return <Check isGood={delivery.status === "cancelled"}>{forgeryWords(delivery)}</Check>;
}

/** What a receiver's answer to a wrong signature means; empty for another delivery, or before the answer. */
export function forgeryWords({ event, attempts, cancel_reason }: DeliveryDetail): string {
  const t = partTexts.value;
  const attempt = attempts.at(-1);
  if (event !== FORGED_EVENT || !attempt) return "";
  if (cancel_reason === "forgery_refused") return t.forgeryRefused(answerOf(attempt));
  return acceptsForgery(attempt)
    ? t.forgeryAccepted(answerOf(attempt))
    : t.forgeryUnjudged(answerOf(attempt));
}

const FORGED_EVENT = "hermod.test.forged";

function Pending({ delivery }: { delivery: DeliveryDetail | null }) {
  const t = partTexts.value;
  const isWaiting = delivery?.waiting_for && delivery.waiting_for.reason !== "attempt";
  return (
    <li>
      <Icon name="clock" />
      {isWaiting ? t.testWaits : t.testing}
    </li>
  );
}

function Check({ isGood, children }: { isGood: boolean; children: ComponentChildren }) {
  return (
    <li class={isGood ? "good" : "bad"}>
      <Icon name={isGood ? "check" : "alert"} />
      {children}
    </li>
  );
}
