import { useState } from "preact/hooks";
import type { Endpoint, EndpointChanges } from "../../client/types";
import { call } from "../shared/api";
import { FormDialog } from "../shared/forms";
import { partTexts } from "../shared/texts";
import { say } from "../shared/toast";
import { Chapters, readAll, type Section, writeAll } from "./endpoint-form";

type EditEndpointProps = { endpoint: Endpoint; sections: readonly Section[]; onClose(): void };

/** The panel that changes an endpoint. Sends only the changed settings. */
export function EditEndpoint({ endpoint, sections, onClose }: EditEndpointProps) {
  const t = partTexts.value;
  const [before] = useState(() => readAll(sections, endpoint));
  const [draft, setDraft] = useState(before);
  const changes = changed(writeAll(sections, before), writeAll(sections, draft));
  const save = async () => {
    await call("patch", "/v1/endpoints/{id}", { path: { id: endpoint.id }, body: changes });
    say(t.saved);
    onClose();
  };
  return (
    <FormDialog
      title={t.edit}
      action={t.save}
      isPanel
      isReady={Object.keys(changes).length > 0}
      onClose={onClose}
      submit={save}
    >
      <Chapters
        sections={sections}
        draft={draft}
        endpoint={endpoint}
        onChange={(texts) => setDraft((known) => ({ ...known, ...texts }))}
      />
    </FormDialog>
  );
}

/** Returns the fields whose values differ. Headers go with the names of the secret ones. */
function changed(before: EndpointChanges, after: EndpointChanges): EndpointChanges {
  const differs = (name: string) => {
    const [one, other] = [before, after].map((each) => JSON.stringify(each[name as keyof EndpointChanges]));
    return one !== other;
  };
  const hasHeaders = differs("headers") || differs("sensitive_headers");
  const isHeader = (name: string) => name === "headers" || name === "sensitive_headers";
  return Object.fromEntries(
    Object.entries(after).filter(([name]) => (isHeader(name) ? hasHeaders : differs(name))),
  );
}
