import { useState } from "preact/hooks";
import type { CreatedEndpoint, NewEndpoint } from "../../client/types";
import { linkToPage } from "../shared/access";
import { call } from "../shared/api";
import { go, params, setParams } from "../shared/location";
import { Card, FieldProblem, Id, problemText } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { Snippets } from "../shared/snippets";
import { partTexts } from "../shared/texts";
import { type FormTexts, readAll, type Section, writeAll } from "./endpoint-form";
import { TestEvent } from "./test-event";

type StepsProps = { sections: readonly Section[] };

/** A step for each section, and one to verify what arrives. The step is in the URL; the entries are not. */
export function NewEndpointSteps({ sections }: StepsProps) {
  const t = partTexts.value;
  const [draft, setDraft] = useState(() => readAll(sections, null));
  const [created, setCreated] = useState<CreatedEndpoint | null>(null);
  const last = sections.length;
  const asked = Number(params.value.get("step") ?? 1);
  const step = created ? last + 1 : draft.url === "" ? 1 : Math.min(last, Math.max(1, asked));
  const to = (next: number) => setParams({ step: String(next) }, { replace: false });
  const submit = async () => {
    if (step < last) return to(step + 1);
    setCreated(await create(sections, draft));
    setParams({ step: String(last + 1) });
  };
  return (
    <>
      <h1>{t.add}</h1>
      <Steps names={[...sections.map(({ title }) => title(t)), t.verification]} current={step} />
      {created ? (
        <Verify endpoint={created} />
      ) : (
        <Step
          section={sections[step - 1] as Section}
          draft={draft}
          isLast={step === last}
          onChange={(texts) => setDraft((known) => ({ ...known, ...texts }))}
          onBack={step > 1 ? () => to(step - 1) : null}
          onSubmit={submit}
        />
      )}
    </>
  );
}

async function create(sections: readonly Section[], draft: FormTexts): Promise<CreatedEndpoint> {
  const given = Object.entries(writeAll(sections, draft)).filter(([, value]) => value !== null);
  const body = Object.fromEntries(given) as unknown as NewEndpoint;
  const endpoint = await call("post", "/v1/endpoints", { body });
  invalidate("endpoints");
  return endpoint;
}

function Steps({ names, current }: { names: readonly string[]; current: number }) {
  return (
    <ol class="steps">
      {names.map((name, index) => (
        <li
          key={name}
          class={index + 1 < current ? "done" : undefined}
          aria-current={index + 1 === current ? "step" : undefined}
        >
          <i class="num">{index + 1}</i>
          {name}
        </li>
      ))}
    </ol>
  );
}

type NewEndpointStepProps = {
  section: Section;
  draft: FormTexts;
  isLast: boolean;
  onChange(texts: FormTexts): void;
  onBack: (() => void) | null;
  onSubmit(): Promise<void>;
};

function Step({
  section: { title, Fields },
  draft,
  isLast,
  onChange,
  onBack,
  onSubmit,
}: NewEndpointStepProps) {
  const t = partTexts.value;
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setProblem(null);
    onSubmit().catch((error) => setProblem(problemText(error)));
  };
  return (
    <Card title={title(t)} class="narrow-card">
      <form class="pad form" onSubmit={submit}>
        <Fields draft={draft} endpoint={null} onChange={onChange} />
        <FieldProblem text={problem} />
        <div class="dialog-actions">
          {onBack && (
            <button type="button" class="btn" onClick={onBack}>
              {t.back}
            </button>
          )}
          <button type="submit" class="btn pri">
            {isLast ? t.create : t.next}
          </button>
        </div>
      </form>
    </Card>
  );
}

function Verify({ endpoint }: { endpoint: CreatedEndpoint }) {
  const t = partTexts.value;
  return (
    <>
      <Card title={t.secret} meta={t.secretOnce}>
        <div class="pad secret">
          <Id id={endpoint.signing_secret} />
        </div>
      </Card>
      <Snippets />
      <div class="row wrap">
        <TestEvent endpoint={endpoint} />
        <button type="button" class="btn pri" onClick={() => go(linkToPage(`/endpoints/${endpoint.id}`))}>
          {t.stored}
        </button>
      </div>
    </>
  );
}
