import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { answerOf } from "../shared/answer";
import { call } from "../shared/api";
import { Dialog } from "../shared/dialog";
import { endpointsOf } from "../shared/endpoint-array";
import { nameOf } from "../shared/endpoint-name";
import { EndpointTest } from "../shared/endpoint-test";
import { Icon } from "../shared/icon";
import { byTrouble, LATE_MS } from "../shared/look";
import { CopyButton, Id, Pill, Problem, problemText, Skeleton, Time } from "../shared/parts";
import { Menu } from "../shared/popover";
import { useResource } from "../shared/resource";
import { now } from "../shared/server-clock";
import { say } from "../shared/toast";
import { visible } from "../shared/visible-text";
import { EndpointForm, type EndpointValues } from "./endpoint-form";
import { may, mayAdd, session, texts } from "./session";
import { lookOfHealth } from "./words";

export function hrefOfDelivery(id: string): string {
  return `/portal/deliveries/${id}`;
}

/** The page of the session's endpoints. */
export function useEndpoints() {
  return useResource("endpoints", async () => endpointsOf(await call("get", "/v1/endpoints", {})), {
    every: 5_000,
  });
}

export function Endpoints() {
  const t = texts.value;
  const { data, error, reload } = useEndpoints();
  return (
    <>
      <div class="lead">
        <div class="grow">
          <h1>{t.endpoints}</h1>
          <p>{t.endpointsIntro(visible(session.value?.product_name ?? t.sender))}</p>
        </div>
        {mayAdd() && (
          <a class="btn pri" href="/portal/endpoints/new">
            <Icon name="plus" />
            {t.add}
          </a>
        )}
      </div>
      {error && !data && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={3} height={110} />}
      {data?.length === 0 && (
        <section class="card empty">
          <h2>{t.noEndpoints}</h2>
          <p>{t.noEndpointsHint}</p>
        </section>
      )}
      {data && data.length > 0 && (
        <ul class="card portal-list">
          {data.toSorted(byTrouble).map((endpoint) => (
            <li key={endpoint.id}>
              <Row endpoint={endpoint} reload={reload} />
            </li>
          ))}
        </ul>
      )}
      <div class="note">
        <Icon name="info" />
        <p>
          {t.sequenceHint} {t.completeHint}
        </p>
      </div>
    </>
  );
}

function Row({ endpoint, reload }: { endpoint: Endpoint; reload(): void }) {
  const t = texts.value;
  const { state } = endpoint.health;
  const events = endpoint.event_types.includes("*") ? [t.allEvents] : endpoint.event_types;
  return (
    <>
      <div class="grow">
        <div class="row wrap">
          <h2>{visible(nameOf(endpoint))}</h2>
          <Pill look={lookOfHealth(state)} />
        </div>
        <div class="row url">
          <code class="break">{visible(endpoint.url)}</code>
          <CopyButton text={endpoint.url} label={t.copyOf(endpoint.url)} />
        </div>
        <HealthWords endpoint={endpoint} />
        {endpoint.health.complete_up_to > 0 && (
          <p class="row dim num" title={t.completeHint}>
            <Icon name="tick" small /> {t.completeUpTo(endpoint.health.complete_up_to)}
          </p>
        )}
        <div class="row wrap chips">
          {events.slice(0, 8).map((event) => (
            <code key={event}>{visible(event)}</code>
          ))}
        </div>
      </div>
      <Actions endpoint={endpoint} reload={reload} />
    </>
  );
}

/** The endpoint's state in the words of the one whose server it is; nothing while all is well. */
function HealthWords({ endpoint }: { endpoint: Endpoint }) {
  const t = texts.value;
  const { state, since, last_failure: failure, pending, oldest_pending_at: oldest } = endpoint.health;
  const waits = pending > 0 ? ` ${t.waiting(pending)}` : "";
  if (state === "healthy") {
    const isLate = oldest !== null && now.value - Date.parse(oldest) > LATE_MS;
    return isLate ? <p class="dim">{waits}</p> : null;
  }
  const from = since && <Time at={since} seconds={false} />;
  if (state === "paused")
    return (
      <p class="break">
        <strong>
          {t.pausedSince} {from}.
        </strong>{" "}
        {t.kept}
        {waits}
      </p>
    );
  const isAnswered = failure !== null && failure.status > 0;
  const answer = failure ? answerOf(failure) : t.noAnswer;
  return (
    <p class="break">
      <strong class="bad">
        {isAnswered ? t.answersSince(answer) : t.unansweredSince(answer)} {from}.
      </strong>
      {waits} {pending > 0 && (state === "disabled" ? t.afterResume : t.inOrder)}
    </p>
  );
}

type Open = "test" | "edit" | "rotate" | "remove" | null;

function Actions({ endpoint, reload }: { endpoint: Endpoint; reload(): void }) {
  const t = texts.value;
  const [open, setOpen] = useState<Open>(null);
  const path = { id: endpoint.id };
  const act = async (work: () => Promise<string | null>) => {
    try {
      const done = await work();
      if (done) say(done);
    } catch (error) {
      say(problemText(error));
    }
    reload();
  };
  const retry = () =>
    act(async () => t.retried((await call("post", "/v1/endpoints/{id}/retry", { path })).retried));
  const test = () => setOpen("test");
  const setActive = (is_active: boolean) =>
    act(async () => {
      await call("patch", "/v1/endpoints/{id}", { path, body: { is_active } });
      return null;
    });
  const { health, is_active: isActive } = endpoint;
  const canRetry = isActive && health.state !== "healthy" && health.pending > 0 && may("retry");
  const canTest = isActive && !canRetry && may("test");
  const items = [
    ...(may("test") && !canTest ? [{ label: t.test, act: test }] : []),
    ...(may("manage_endpoints") && isActive ? [{ label: t.pause, act: () => setActive(false) }] : []),
    ...(may("manage_endpoints")
      ? [
          { label: t.edit, act: () => setOpen("edit") },
          { label: t.rotate, act: () => setOpen("rotate") },
          { label: t.remove, isDanger: true, act: () => setOpen("remove") },
        ]
      : []),
  ];
  const close = () => {
    setOpen(null);
    reload();
  };
  return (
    <span class="row wrap portal-actions">
      {!isActive && may("manage_endpoints") && (
        <button type="button" class="btn" onClick={() => void setActive(true)}>
          <Icon name="play" />
          {t.resume}
        </button>
      )}
      {canRetry && (
        <button type="button" class="btn" onClick={() => void retry()}>
          <Icon name="retry" />
          {t.retry}
        </button>
      )}
      {canTest && (
        <button type="button" class="btn" onClick={test}>
          <Icon name="bolt" />
          {t.test}
        </button>
      )}
      {items.length > 0 && (
        <Menu items={items} label={t.moreOf(visible(nameOf(endpoint)))}>
          <Icon name="more" />
        </Menu>
      )}
      {open === "test" && <EndpointTest endpoint={endpoint} hrefOf={hrefOfDelivery} onClose={close} />}
      {open === "edit" && <Edit endpoint={endpoint} onClose={close} />}
      {open === "rotate" && <Rotate endpoint={endpoint} onClose={close} />}
      {open === "remove" && <Remove endpoint={endpoint} onClose={close} />}
    </span>
  );
}

function Edit({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const t = texts.value;
  const { url, description, event_filter } = endpoint;
  const save = async (wanted: EndpointValues) => {
    // A filter with a comma in an event type would change in the form.
    const isSame = wanted.event_filter === event_filter;
    const body = { ...wanted, event_filter: isSame ? undefined : wanted.event_filter };
    await call("patch", "/v1/endpoints/{id}", { path: { id: endpoint.id }, body });
    onClose();
  };
  return (
    <Dialog title={t.edit} onClose={onClose}>
      <div class="dialog-body">
        <p class="dim">{t.editHint}</p>
        <EndpointForm
          values={{ url, description, event_filter }}
          action={t.save}
          onSubmit={save}
          onBack={onClose}
        />
      </div>
    </Dialog>
  );
}

function Rotate({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const t = texts.value;
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async () => {
    try {
      const rotated = await call("post", "/v1/endpoints/{id}/rotate-secret", {
        path: { id: endpoint.id },
        body: {},
      });
      setSecret(rotated.signing_secret);
    } catch (error) {
      say(problemText(error));
      onClose();
    }
  };
  return (
    <Dialog title={t.rotate} isSticky={secret !== null} onClose={onClose}>
      <div class="dialog-body">
        <p>{secret === null ? t.rotateHint : t.secretOnce}</p>
        {secret !== null && (
          <p class="secret">
            <Id id={secret} />
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="btn pri" onClick={secret === null ? () => void rotate() : onClose}>
            {secret === null ? t.rotate : t.stored}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function Remove({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const t = texts.value;
  const remove = async () => {
    await call("delete", "/v1/endpoints/{id}", { path: { id: endpoint.id } }).catch((error) =>
      say(problemText(error)),
    );
    onClose();
  };
  return (
    <Dialog title={t.removeQuestion(visible(nameOf(endpoint)))} onClose={onClose}>
      <div class="dialog-body">
        <p>{t.removeHint}</p>
        <div class="dialog-actions">
          <button type="button" class="btn" onClick={onClose}>
            {t.back}
          </button>
          <button type="button" class="btn pri danger-solid" onClick={() => void remove()}>
            {t.remove}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
