import type { ComponentType } from "preact";
import { match, path } from "../shared/location";
import { Empty, Skeleton } from "../shared/parts";
import { AccountPage } from "./account";
import { Accounts } from "./accounts";
import { Activity } from "./activity";
import { AllAccounts } from "./all-accounts";
import { Connect } from "./connect";
import { Deliveries } from "./deliveries";
import { DeliveryPage } from "./delivery";
import { EndpointPage } from "./endpoint";
import { Endpoints } from "./endpoints";
import { EventTypePage } from "./event-type";
import { EventTypes } from "./event-types";
import { EventPage, Events } from "./events";
import { Help } from "./help";
import { JobPage, Jobs } from "./jobs";
import { Keys } from "./keys";
import { NewEndpointPage } from "./new-endpoint";
import { Overview } from "./overview";
import { Palette } from "./palette";
import { openSession, session, sessionError } from "./session";
import { Failure, Page, Shell } from "./shell";
import { SignIn } from "./sign-in";
import { System } from "./system";

type PageComponent = ComponentType<Record<string, string>>;

const PAGES: readonly (readonly [pattern: string, page: PageComponent])[] = [
  ["/console", Overview],
  ["/console/deliveries", Deliveries],
  ["/console/deliveries/:id", DeliveryPage as PageComponent],
  ["/console/endpoints", Endpoints],
  ["/console/endpoints/new", NewEndpointPage],
  ["/console/endpoints/:id", EndpointPage as PageComponent],
  ["/console/events", Events],
  ["/console/events/:id", EventPage as PageComponent],
  ["/console/event-types", EventTypes],
  ["/console/event-types/:name", EventTypePage as PageComponent],
  ["/console/jobs", Jobs],
  ["/console/jobs/:id", JobPage as PageComponent],
  ["/console/keys", Keys],
  ["/console/connect", Connect],
  ["/console/accounts", Accounts],
  ["/console/accounts/:id", AccountPage as PageComponent],
  ["/console/all", AllAccounts],
  ["/console/activity", Activity],
  ["/console/system", System],
];

export function App() {
  if (sessionError.value !== null)
    return <Failure error={sessionError.value} retry={() => void openSession()} />;
  if (session.value === undefined) return <Skeleton rows={1} />;
  if (session.value === null) return <SignIn />;
  return (
    <>
      <Shell>
        <Routed />
      </Shell>
      <Palette />
      <Help />
    </>
  );
}

function Routed() {
  for (const [pattern, Found] of PAGES) {
    const given = match(pattern, path.value);
    // The key gives the page of another delivery a state of its own.
    if (given) return <Found key={`${pattern} ${Object.values(given)}`} {...given} />;
  }
  return (
    <Page crumbs={[{ label: "Not found" }]}>
      <Empty isPage title="There is no such page" />
    </Page>
  );
}
