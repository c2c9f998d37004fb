import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Endpoint } from "../../client/types";
import { can } from "../shared/access";
import { nameOf } from "../shared/endpoint-name";
import { isSigned } from "../shared/endpoint-test";
import { Icon } from "../shared/icon";
import { Menu, type MenuItem } from "../shared/popover";
import { partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";
import { Certify } from "./certify";
import { CheckGaps } from "./check-gaps";
import { DeleteEndpoint } from "./delete-endpoint";
import { EditEndpoint } from "./edit-endpoint";
import type { Section } from "./endpoint-form";
import { ReceiverKeys } from "./receiver-keys";
import { RotateSecret } from "./rotate-secret";

type EndpointMenuProps = {
  endpoint: Endpoint;
  /** The settings that can be edited. */
  sections: readonly Section[];
  /** Entries before those of every endpoint. */
  items?: readonly MenuItem[];
  onDone(): void;
};

/** The less common actions on an endpoint: its settings, its secret, its end. */
export function EndpointMenu({ endpoint, sections, items = [], onDone }: EndpointMenuProps) {
  const t = partTexts.value;
  const [open, setOpen] = useState<"certify" | "edit" | "rotate" | "keys" | "gaps" | "delete" | null>(null);
  const close = () => {
    setOpen(null);
    onDone();
  };
  const dialogs: Readonly<Record<string, ComponentChildren>> = {
    certify: <Certify endpoint={endpoint} onClose={close} />,
    edit: <EditEndpoint endpoint={endpoint} sections={sections} onClose={close} />,
    rotate: <RotateSecret endpoint={endpoint} onClose={close} />,
    keys: <ReceiverKeys endpoint={endpoint} onClose={close} />,
    gaps: <CheckGaps endpoint={endpoint} onClose={close} />,
    delete: <DeleteEndpoint endpoint={endpoint} onClose={close} />,
  };
  const managing: MenuItem[] = [
    { label: t.edit, act: () => setOpen("edit") },
    { label: t.rotate, act: () => setOpen("rotate") },
    { label: t.receiverKeys, act: () => setOpen("keys") },
    { label: t.remove, isDanger: true, act: () => setOpen("delete") },
  ];
  const reading = can("view") ? [{ label: t.checkGaps, act: () => setOpen("gaps") }] : [];
  const testing =
    can("test") && isSigned(endpoint) ? [{ label: t.certify, act: () => setOpen("certify") }] : [];
  const all = [...items, ...reading, ...testing, ...(can("manage_endpoints") ? managing : [])];
  return (
    <>
      {all.length > 0 && (
        <Menu items={all} label={t.moreOf(visible(nameOf(endpoint)))}>
          <Icon name="more" />
        </Menu>
      )}
      {open !== null && dialogs[open]}
    </>
  );
}
