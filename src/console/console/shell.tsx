import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useEndpoints } from "../pages/endpoint-data";
import { HermodError } from "../shared/api";
import { Choice } from "../shared/choice";
import { Dialog } from "../shared/dialog";
import { isUtc, shownZone, ZONE } from "../shared/format";
import { Icon } from "../shared/icon";
import { linkTo, path, setParams } from "../shared/location";
import { Problem } from "../shared/parts";
import { Popover } from "../shared/popover";
import { toggleTheme } from "../shared/theme";
import { Toasts } from "../shared/toast";
import { visible } from "../shared/visible-text";
import { Brand } from "./brand";
import { CellChooser, SilentCells } from "./cell";
import { useAccounts } from "./data";
import { needsAttention } from "./endpoint-sentences";
import { openPalette } from "./palette";
import { account, can, isAdmin, leaveSession, type Permission, session, signOut } from "./session";
import { singleKeys, toggleSingleKeys } from "./single-keys";

type NavigationItem = Readonly<{
  href: string;
  label: string;
  icon: string;
  needs?: Permission;
  isTab?: boolean;
}>;

const PLACES: readonly NavigationItem[] = [
  { href: "/console", label: "Overview", icon: "overview", isTab: true },
  {
    href: "/console/deliveries",
    label: "Deliveries",
    icon: "deliveries",
    needs: "webhooks:read",
    isTab: true,
  },
  { href: "/console/events", label: "Events", icon: "events", needs: "webhooks:read" },
  { href: "/console/endpoints", label: "Endpoints", icon: "endpoints", needs: "endpoints:read", isTab: true },
  { href: "/console/event-types", label: "Event types", icon: "types", needs: "webhooks:read" },
  { href: "/console/jobs", label: "Jobs", icon: "jobs", needs: "webhooks:read", isTab: true },
];

const ADMINISTRATION: readonly NavigationItem[] = [
  { href: "/console/accounts", label: "Accounts", icon: "accounts", needs: "admin" },
  { href: "/console/all", label: "All accounts", icon: "table", needs: "accounts:act" },
  { href: "/console/keys", label: "Keys", icon: "key", needs: "keys:write" },
  { href: "/console/system", label: "System", icon: "system", needs: "admin" },
  { href: "/console/activity", label: "Activity", icon: "activity", needs: "endpoints:read" },
];

const mayOpen = ({ needs }: NavigationItem) => needs === undefined || can(needs);

export type Crumb = Readonly<{ label: string; href?: string }>;

type PageProps = { crumbs: readonly Crumb[]; actions?: ComponentChildren; children: ComponentChildren };

/** A page in the frame, with its path and its controls on top. */
export function Page({ crumbs, actions, children }: PageProps) {
  const title = crumbs.at(-1)?.label ?? "";
  useEffect(() => {
    document.title = title ? `${visible(title)} · Hermod` : "Hermod";
  }, [title]);
  return (
    <div class="main">
      <header class="bar">
        <nav class="crumbs" aria-label="Breadcrumb">
          {crumbs.map(({ label, href }, index) => (
            <>
              {index > 0 && <Icon name="right" small />}
              {href ? (
                <a href={linkTo(href)}>{visible(label)}</a>
              ) : (
                <span aria-current="page" class="trunc">
                  {visible(label)}
                </span>
              )}
            </>
          ))}
        </nav>
        <span class="end row">
          {actions}
          <button type="button" class="icon narrow" aria-label="Find anything" onClick={openPalette}>
            <Icon name="search" />
          </button>
        </span>
      </header>
      <main id="main" class="body" tabIndex={-1}>
        <SilentCells />
        {children}
        <footer class="zone">
          Times are in {shownZone.value}.{" "}
          {ZONE !== "UTC" && (
            <button type="button" class="link" onClick={() => (isUtc.value = !isUtc.value)}>
              Show {isUtc.value ? ZONE : "UTC"}
            </button>
          )}
        </footer>
      </main>
    </div>
  );
}

export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="app">
        <aside class="side" aria-label="Console">
          <a href={linkTo("/console")} class="home" aria-label="Hermod, overview">
            <Brand />
          </a>
          <AccountSwitcher />
          <CellChooser />
          <button type="button" class="find" onClick={openPalette}>
            <Icon name="search" />
            Find anything
            <kbd>{/Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K"}</kbd>
          </button>
          <Places />
          <Who />
        </aside>
        {children}
      </div>
      <TabBar />
      <Toasts />
    </>
  );
}

function isCurrent(href: string): boolean {
  return href === "/console" ? path.value === href : `${path.value}/`.startsWith(`${href}/`);
}

function PlaceLink({ place, tag }: { place: NavigationItem; tag?: ComponentChildren }) {
  return (
    <a href={linkTo(place.href)} aria-current={isCurrent(place.href) ? "page" : undefined}>
      <Icon name={place.icon} />
      <span>{place.label}</span>
      {tag}
    </a>
  );
}

function Places() {
  const administration = ADMINISTRATION.filter(mayOpen);
  return (
    <nav class="nav" aria-label="Main">
      {PLACES.filter(mayOpen).map((place) => (
        <PlaceLink
          key={place.href}
          place={place}
          tag={place.icon === "endpoints" ? <Troubled /> : undefined}
        />
      ))}
      {administration.length > 0 && <div class="heading">Administration</div>}
      {administration.map((place) => (
        <PlaceLink key={place.href} place={place} />
      ))}
    </nav>
  );
}

/** Number of endpoints with a problem. */
function Troubled() {
  const { data } = useEndpoints();
  const troubled = data?.filter(needsAttention).length ?? 0;
  if (troubled === 0) return null;
  return (
    <span class="tag num" title={`${troubled} with trouble`}>
      {troubled}
      <span class="sr"> with trouble</span>
    </span>
  );
}

function AccountSwitcher() {
  const { data } = useAccounts();
  const own = session.value?.account;
  const current = data?.find(({ id }) => id === account.value) ?? own;
  const name = current?.name ?? "Account";
  const shown = (
    <>
      <span class="avatar" aria-hidden="true">
        {visible(name).slice(0, 1).toUpperCase()}
      </span>
      <span class="two">
        <span class="sr">Account </span>
        <b class="trunc">{visible(name)}</b>
        <small class="trunc">{current ? `Plan ${visible(current.plan)}` : ""}</small>
      </span>
    </>
  );
  if (!data || data.length < 2) return <div class="account">{shown}</div>;
  return (
    <Choice
      name="Account"
      class="account"
      value={account.value ?? ""}
      shown={shown}
      options={data.map(({ id, name: label, external_id }) => ({
        value: id,
        label,
        detail: external_id ?? undefined,
      }))}
      onChoose={(id) =>
        setParams({ account: id === own?.id ? null : id, cursor: null, endpoint: null }, { replace: false })
      }
    />
  );
}

function Who() {
  const name = session.value?.name ?? "API key";
  return (
    <div class="who">
      <Popover
        class="person"
        kind="menu"
        label={
          <>
            <span class="avatar" aria-hidden="true">
              {visible(name).slice(0, 2).toUpperCase()}
            </span>
            <span class="two">
              <b class="trunc" title={visible(name)}>
                {visible(name)}
              </b>
              <small class="trunc">{roleWords()}</small>
            </span>
          </>
        }
      >
        {(close) => (
          <div role="menu" class="menu" aria-label="Session">
            <a role="menuitem" href="/swagger" target="_blank" rel="noreferrer">
              API reference
            </a>
            <button
              type="button"
              role="menuitemcheckbox"
              aria-checked={singleKeys.value}
              onClick={toggleSingleKeys}
            >
              Single-key shortcuts<span aria-hidden="true">: {singleKeys.value ? "on" : "off"}</span>
            </button>
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                void signOut();
              }}
            >
              Sign out
            </button>
          </div>
        )}
      </Popover>
      <ThemeButton />
    </div>
  );
}

function roleWords(): string {
  if (isAdmin.value) return "Administrator";
  if (can("endpoints:write"))
    return can("accounts:act") ? "Everything in all accounts" : "Everything in this account";
  return can("webhooks:retry") ? "View and retry" : "View";
}

function ThemeButton() {
  return (
    <button type="button" class="icon" aria-label="Switch between light and dark" onClick={toggleTheme}>
      <Icon name="sun" />
    </button>
  );
}

/** The navigation of narrow screens, at the lower edge. */
function TabBar() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <nav class="tabbar" aria-label="Main">
        {PLACES.filter((place) => place.isTab && mayOpen(place)).map((place) => (
          <PlaceLink key={place.href} place={place} />
        ))}
        <button type="button" onClick={() => setOpen(true)}>
          <Icon name="menu" />
          <span>More</span>
        </button>
      </nav>
      {isOpen && (
        <Dialog title="Hermod" isPanel onClose={() => setOpen(false)}>
          <div class="drawer" onClick={(event) => (event.target as Element).closest("a") && setOpen(false)}>
            <AccountSwitcher />
            <CellChooser />
            <Places />
            <Who />
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The reason for which a page can't be shown. Another cell begins a new session if the one with the session does not answer. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main class="sign-in" id="main">
      <Problem error={error} retry={retry} />
      {error instanceof HermodError && error.code === "CELL_UNAVAILABLE" && (
        <button type="button" class="btn" onClick={leaveSession}>
          Sign in again
        </button>
      )}
    </main>
  );
}
