import { useState } from "preact/hooks";
import type { CreatedEndpoint } from "../../client/types";
import { call } from "../shared/api";
import { go } from "../shared/location";
import { Id, problemText } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { Snippets } from "../shared/snippets";
import { say } from "../shared/toast";
import { EndpointForm } from "./endpoint-form";
import { may, texts } from "./session";

/** The steps of a new endpoint: address and events; the secret, shown once; code that verifies; a test event. */
export function NewEndpoint() {
  const t = texts.value;
  const [created, setCreated] = useState<CreatedEndpoint | null>(null);
  if (created) return <Verify endpoint={created} />;
  return (
    <>
      <h1>{t.add}</h1>
      <section class="card pad">
        <EndpointForm
          values={{ url: "", description: null, event_filter: "*" }}
          action={t.create}
          onBack={() => go("/portal")}
          onSubmit={async (body) => {
            setCreated(await call("post", "/v1/endpoints", { body }));
            invalidate("endpoints");
          }}
        />
      </section>
    </>
  );
}

function Verify({ endpoint }: { endpoint: CreatedEndpoint }) {
  const t = texts.value;
  const test = async () => {
    try {
      await call("post", "/v1/endpoints/{id}/test", { path: { id: endpoint.id }, body: {} });
      say(t.testSent);
    } catch (error) {
      say(problemText(error));
    }
  };
  return (
    <>
      <h1>{t.secret}</h1>
      <section class="card pad">
        <p class="dim">{t.secretOnce}</p>
        <p class="secret">
          <Id id={endpoint.signing_secret} />
        </p>
      </section>
      <Snippets title={t.verify} />
      <div class="row wrap">
        {may("test") && (
          <button type="button" class="btn" onClick={() => void test()}>
            {t.test}
          </button>
        )}
        <button type="button" class="btn pri" onClick={() => go("/portal")}>
          {t.stored}
        </button>
      </div>
    </>
  );
}
