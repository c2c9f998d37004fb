import { useState } from "preact/hooks";
import type { CreatedEndpoint, NewEndpoint } from "../../client/types";
import { call } from "../shared/api";
import { go, linkTo, params, setParams } from "../shared/location";
import { Card, FieldProblem, Id, problemText } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { Snippets } from "../shared/snippets";
import { AddressFields, changesOf, EventFields, NEW, OrderFields, useSettings } from "./endpoint-form";
import { Page } from "./shell";
import { TestEvent } from "./test-event";

const STEPS = ["Address", "Events", "Order and limits", "Verify"] as const;

/** Four steps to the first webhook. The step is in the URL; the entries are not. */
export function NewEndpointPage() {
  const { settings, onChange } = useSettings(NEW);
  const [created, setCreated] = useState<CreatedEndpoint | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const asked = Number(params.value.get("step") ?? 1);
  const step = created ? 4 : Math.min(3, Math.max(1, settings.url === "" ? 1 : asked));
  const to = (next: number) => {
    setProblem(null);
    setParams({ step: String(next) }, { replace: false });
  };
  const create = async () => {
    try {
      const endpoint = await call("post", "/v1/endpoints", { body: changesOf(settings) as NewEndpoint });
      setCreated(endpoint);
      setProblem(null);
      invalidate("endpoints");
      setParams({ step: "4" });
    } catch (error) {
      setProblem(problemText(error));
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (step < 3) to(step + 1);
    else void create();
  };
  return (
    <Page crumbs={[{ label: "Endpoints", href: "/console/endpoints" }, { label: "New endpoint" }]}>
      <h1>New endpoint</h1>
      <ol class="steps">
        {STEPS.map((name, index) => (
          <li
            key={name}
            class={index + 1 < step ? "done" : undefined}
            aria-current={index + 1 === step ? "step" : undefined}
          >
            <i class="num">{index + 1}</i>
            {name}
          </li>
        ))}
      </ol>
      {created ? (
        <Verify endpoint={created} />
      ) : (
        <Card label={STEPS[step - 1]} class="narrow-card">
          <form class="pad form" onSubmit={submit}>
            {step === 1 && <AddressFields settings={settings} onChange={onChange} />}
            {step === 2 && <EventFields settings={settings} onChange={onChange} />}
            {step === 3 && <OrderFields settings={settings} onChange={onChange} />}
            <FieldProblem text={problem} />
            <div class="dialog-actions">
              {step > 1 && (
                <button type="button" class="btn" onClick={() => to(step - 1)}>
                  Back
                </button>
              )}
              <button type="submit" class="btn pri">
                {step === 3 ? "Create endpoint" : "Continue"}
              </button>
            </div>
          </form>
        </Card>
      )}
    </Page>
  );
}

function Verify({ endpoint }: { endpoint: CreatedEndpoint }) {
  return (
    <>
      <Card
        title="Signing secret"
        meta="Shown only now. The receiver needs it to tell Hermod's requests from others."
      >
        <div class="pad secret">
          <Id id={endpoint.signing_secret} />
        </div>
      </Card>
      <Snippets />
      <div class="row wrap">
        <TestEvent endpoint={endpoint} />
        <button type="button" class="btn pri" onClick={() => go(linkTo(`/console/endpoints/${endpoint.id}`))}>
          I have stored the secret
        </button>
      </div>
    </>
  );
}
