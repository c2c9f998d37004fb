import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { EndpointTest } from "../shared/endpoint-test";
import { Icon } from "../shared/icon";
import { linkTo } from "../shared/location";
import { partTexts } from "../shared/texts";

type TestEventProps = { endpoint: Pick<Endpoint, "id" | "format">; isSmall?: boolean };

export function TestEvent({ endpoint, isSmall = false }: TestEventProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={isSmall ? "btn sm" : "btn"} onClick={() => setOpen(true)}>
        <Icon name="bolt" small={isSmall} />
        {partTexts.value.test}
      </button>
      {isOpen && (
        <EndpointTest
          endpoint={endpoint}
          hrefOf={(id) => linkTo(`/console/deliveries/${id}`)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
