import { useState } from "preact/hooks";
import type { CreatedEndpoint } from "../../client/types";
import { call } from "../shared/api";
import { EndpointTest } from "../shared/endpoint-test";
import { Icon } from "../shared/icon";
import { go } from "../shared/location";
import { Id } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { Snippets } from "../shared/snippets";
import { EndpointForm } from "./endpoint-form";
import { hrefOfDelivery } from "./endpoints";
import { may, texts, widestFilter } from "./session";

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
          values={{ url: "", description: null, event_filter: widestFilter() }}
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
  const [isTesting, setTesting] = useState(false);
  return (
    <>
      <h1>{t.secret}</h1>
      <section class="card pad">
        <p class="dim">{t.secretOnce}</p>
        <p class="secret">
          <Id id={endpoint.signing_secret} />
        </p>
      </section>
      <Snippets />
      <div class="row wrap">
        {may("test") && (
          <button type="button" class="btn" onClick={() => setTesting(true)}>
            <Icon name="bolt" />
            {t.test}
          </button>
        )}
        <button type="button" class="btn pri" onClick={() => go("/portal")}>
          {t.stored}
        </button>
      </div>
      {isTesting && (
        <EndpointTest endpoint={endpoint} hrefOf={hrefOfDelivery} onClose={() => setTesting(false)} />
      )}
    </>
  );
}
