import { SERVICE_URL } from "../shared/api";
import { CodeTabs } from "../shared/code-tabs";
import { linkTo } from "../shared/location";
import { Card } from "../shared/parts";
import tour from "../shared/tour.json";
import { can } from "./session";

/** The steps to a first webhook, with code that can be copied and run. */
export function FirstSteps() {
  return (
    <>
      <div class="lead">
        <div class="grow">
          <h1>Three steps to the first webhook</h1>
          <p>This account has no endpoints yet.</p>
        </div>
      </div>
      <ol class="first-steps">
        <li>
          <Card title="1. Say where to deliver" actions={<WaysToAnEndpoint />}>
            <CodeTabs
              label="Or by the API"
              codes={placed(tour["connect create-endpoint"])}
              note="HERMOD_KEY holds an API key"
            />
          </Card>
        </li>
        <li>
          <Card title="2. Send an event">
            <CodeTabs
              label="By the API"
              codes={placed(tour.publish)}
              note="every endpoint that wants it gets it"
            />
          </Card>
        </li>
        <li>
          <Card title="3. See it arrive">
            <p class="pad dim">
              The delivery appears under{" "}
              <a class="link" href={linkTo("/console/deliveries")}>
                Deliveries
              </a>{" "}
              at once, with what the receiver answered.
            </p>
          </Card>
        </li>
      </ol>
    </>
  );
}

function WaysToAnEndpoint() {
  return (
    <>
      {can("keys:write") && (
        <a class="btn sm" href={linkTo("/console/keys")}>
          Make a key
        </a>
      )}
      {can("endpoints:write") && (
        <a class="btn sm pri" href={linkTo("/console/endpoints/new")}>
          New endpoint
        </a>
      )}
    </>
  );
}

/** Puts the addresses of this service and of an example into code of the tour. */
function placed(codes: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(codes).map(([language, code]) => [
    language,
    code
      .replaceAll("http://127.0.0.1:3000", SERVICE_URL)
      .replaceAll("http://127.0.0.1:4000/hooks", "https://example.com/webhooks"),
  ]);
  return Object.fromEntries(entries);
}
