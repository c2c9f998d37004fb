import { NewEndpointSteps } from "../pages/new-endpoint";
import { STEPS } from "./endpoint-sections";
import { Page } from "./shell";

/** The steps to an endpoint, with everything that the sender sets. */
export function NewEndpointPage() {
  return (
    <Page crumbs={[{ label: "Endpoints", href: "/console/endpoints" }, { label: "New endpoint" }]}>
      <NewEndpointSteps sections={STEPS} />
    </Page>
  );
}
