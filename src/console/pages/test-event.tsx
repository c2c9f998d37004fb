import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { can, linkToPage } from "../shared/access";
import { EndpointTest } from "../shared/endpoint-test";
import { Icon } from "../shared/icon";
import { partTexts } from "../shared/texts";

/** Sends a test event and shows what its answer means. */
export function TestEvent({ endpoint }: { endpoint: Pick<Endpoint, "id" | "format" | "delivery"> }) {
  const [isOpen, setOpen] = useState(false);
  if (!can("test")) return null;
  return (
    <>
      <button type="button" class="btn" onClick={() => setOpen(true)}>
        <Icon name="bolt" />
        {partTexts.value.test}
      </button>
      {isOpen && (
        <EndpointTest
          endpoint={endpoint}
          hrefOf={(id) => linkToPage(`/deliveries/${id}`)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
