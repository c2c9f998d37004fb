import { can, linkToPage } from "../shared/access";
import { Icon } from "../shared/icon";
import { Empty } from "../shared/parts";
import { partTexts } from "../shared/texts";

/** Leads to the form of a new endpoint. Hidden from sessions that may not add one. */
export function AddEndpoint() {
  if (!can("add_endpoints")) return null;
  return (
    <a class="btn pri" href={linkToPage("/endpoints/new")}>
      <Icon name="plus" />
      {partTexts.value.add}
    </a>
  );
}

/** Shows that there are no endpoints yet. */
export function NoEndpoints() {
  const t = partTexts.value;
  return (
    <Empty title={t.noEndpoints}>
      <p>{t.noEndpointsHint}</p>
      <AddEndpoint />
    </Empty>
  );
}
