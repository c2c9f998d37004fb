import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { DeliveryDetail, Endpoint } from "../../client/types";
import { isForgery } from "../../domain/test-event";
import { MESSAGE_FORMATS } from "../../domain/tuning";
import { acceptsForgery, answerOf, isSuccess } from "./answer";
import { call, HermodError } from "./api";
import { Code } from "./code";
import { Dialog } from "./dialog";
import { duration } from "./format";
import { Icon } from "./icon";
import { Problem } from "./parts";
import { useResource } from "./resource";
import { partTexts } from "./texts";

type EndpointTestProps = {
  endpoint: Pick<Endpoint, "id" | "format" | "delivery">;
  hrefOf(deliveryId: string): string;
  onClose(): void;
};

/** Sends a test event, then one with a wrong signature if the person asks for it, and says what the answers mean. */
export function EndpointTest({ endpoint, hrefOf, onClose }: EndpointTestProps) {
  const t = partTexts.value;
  const genuine = useTest(endpoint.id, false);
  const forged = useTest(endpoint.id, true);
  useEffect(() => void genuine.send(), []);
  const problem = genuine.problem ?? forged.problem;
  const attempt = genuine.delivery?.attempts.at(-1);
  return (
    <Dialog title={t.test} onClose={onClose}>
      <div class="dialog-body" role="status">
        <ul class="checks">
          {genuine.problem === null && <Genuine delivery={genuine.delivery} />}
          {forged.isSent && forged.problem === null && <Forged delivery={forged.delivery} />}
        </ul>
        {problem !== null && (
          <Problem error={problem} {...(!genuine.isSent && { retry: () => void genuine.send() })} />
        )}
        {attempt?.response_body && <Code label={t.answerBody} text={attempt.response_body} />}
        {genuine.delivery && (
          <p>
            <a class="link" href={hrefOf(genuine.delivery.id)}>
              {t.openDelivery}
            </a>
          </p>
        )}
        {isSigned(endpoint) && attempt && !forged.isSent && (
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

/** Chat services don't verify, and a receiver that reads gets no signature. */
export function isSigned({ delivery, format }: Pick<Endpoint, "format" | "delivery">): boolean {
  return delivery === "push" && !MESSAGE_FORMATS.some((each) => each === format);
}

/** Interval between reads of a test that has not ended. */
const OPEN_EVERY_MS = 700;

/** A test event, followed from the request until the delivery has ended, or the session may not read it. */
function useTest(endpointId: string, forged: boolean) {
  const [id, setId] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const { data, error } = useResource(
    id === null ? null : `delivery ${id}`,
    () => call("get", "/v1/webhooks/{id}", { path: { id: id ?? "" } }),
    isOver ? {} : { every: OPEN_EVERY_MS },
  );
  const hasEnded = data !== null && data.status !== "pending";
  const isRefused = error instanceof HermodError && error.status === 403;
  useEffect(() => setOver(hasEnded || isRefused), [hasEnded, isRefused]);
  const send = async () => {
    setProblem(null);
    setSent(true);
    try {
      const body = forged ? { forged } : {};
      setId((await call("post", "/v1/endpoints/{id}/test", { path: { id: endpointId }, body })).id);
    } catch (error) {
      setProblem(error);
      setSent(false);
    }
  };
  return { delivery: data, isSent, problem: problem ?? (data ? null : error), send };
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

function Forged({ delivery }: { delivery: DeliveryDetail | null }) {
  const attempt = delivery?.attempts.at(-1);
  if (!delivery || !attempt) return <Pending delivery={delivery} />;
  return <Check isGood={delivery.status === "cancelled"}>{forgeryWords(delivery)}</Check>;
}

/** Explains a receiver's answer to a wrong signature; empty for another delivery, or before the answer. */
export function forgeryWords({ event, attempts, cancel_reason }: DeliveryDetail): string {
  const t = partTexts.value;
  const attempt = attempts.at(-1);
  if (!isForgery(event) || !attempt) return "";
  if (cancel_reason === "forgery_refused") return t.forgeryRefused(answerOf(attempt));
  return acceptsForgery(attempt)
    ? t.forgeryAccepted(answerOf(attempt))
    : t.forgeryUnjudged(answerOf(attempt));
}

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
