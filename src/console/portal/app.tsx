import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { NewEndpointSteps } from "../pages/new-endpoint";
import { can } from "../shared/access";
import { Icon } from "../shared/icon";
import { match, path } from "../shared/location";
import { Skeleton } from "../shared/parts";
import { toggleTheme } from "../shared/theme";
import { Toasts } from "../shared/toast";
import { Catalogue } from "./catalogue";
import { Deliveries } from "./deliveries";
import { isEmbedded, notify } from "./embedding";
import { Endpoints, STEPS } from "./endpoints";
import { session, texts } from "./session";

export function PortalApp() {
  useEffect(() => notify({ type: "hermod:navigate", path: path.value }), [path.value]);
  if (session.value === undefined)
    return (
      <main class="portal">
        <Skeleton rows={4} />
      </main>
    );
  if (session.value === null) return <Ended />;
  return (
    <>
      <div class={isEmbedded ? "portal embedded" : "portal"}>
        <Places />
        <main id="main">
          <Routed />
        </main>
      </div>
      <Toasts />
    </>
  );
}

function Ended() {
  return (
    <main class="portal">
      <div class="empty">
        <h1>{texts.value.expired}</h1>
        <p>{texts.value.expiredHint}</p>
      </div>
    </main>
  );
}

function Places() {
  const t = texts.value;
  const place = (href: string, label: string, isCurrent: boolean): ComponentChildren => (
    <a href={href} aria-current={isCurrent ? "page" : undefined}>
      {label}
    </a>
  );
  return (
    <header class="portal-head">
      <nav class="tabs" aria-label={t.title}>
        {place(
          "/portal",
          t.endpoints,
          path.value === "/portal" || path.value.startsWith("/portal/endpoints"),
        )}
        {place("/portal/deliveries", t.deliveries, path.value.startsWith("/portal/deliveries"))}
        {place("/portal/events", t.catalogue, path.value === "/portal/events")}
      </nav>
      {!isEmbedded && (
        <button type="button" class="icon end" aria-label={t.theme} onClick={toggleTheme}>
          <Icon name="sun" />
        </button>
      )}
    </header>
  );
}

function Routed() {
  const delivery = match("/portal/deliveries/:id", path.value);
  if (delivery) return <Deliveries id={delivery.id ?? null} />;
  if (path.value === "/portal/deliveries") return <Deliveries id={null} />;
  if (path.value === "/portal/events") return <Catalogue />;
  if (path.value === "/portal/endpoints/new" && can("add_endpoints"))
    return <NewEndpointSteps sections={STEPS} />;
  return <Endpoints />;
}
