import type { Changes } from "../shared/location";

/** An entry of the palette. */
export type Found = Readonly<{ label: string; detail?: string; icon: string; path: string; query?: Changes }>;

type Named = Readonly<{ id: string; name: string; also: string }>;
export type Known = Readonly<{
  accounts: readonly Named[];
  endpoints: readonly Named[];
  types: readonly string[];
}>;

const PAGES: readonly Found[] = [
  { label: "Overview", icon: "overview", path: "/console" },
  { label: "Deliveries", icon: "deliveries", path: "/console/deliveries" },
  { label: "Endpoints", icon: "endpoints", path: "/console/endpoints" },
  { label: "New endpoint", icon: "plus", path: "/console/endpoints/new" },
  { label: "Events", icon: "events", path: "/console/events" },
  { label: "Event types", icon: "types", path: "/console/event-types" },
  { label: "Jobs", icon: "jobs", path: "/console/jobs" },
  { label: "Keys", icon: "key", path: "/console/keys" },
];

const TIMES: readonly (readonly [pattern: RegExp, value: string, words: string])[] = [
  [/\bthis morning\b|\bmorning\b/, "morning", "this morning"],
  [/\byesterday\b/, "yesterday", "yesterday"],
  [/\btoday\b/, "today", "today"],
  [/\b(last |this )?hour\b|\b1h\b/, "1h", "in the last hour"],
  [/\b24 ?h\b|\blast day\b/, "24h", "in the last 24 hours"],
  [/\b(last |this )?week\b|\b7d\b/, "7d", "in the last 7 days"],
];

const STATUSES: readonly (readonly [pattern: RegExp, value: string, words: string])[] = [
  [/\bfail(ed|s|ing)?\b/, "failed", "failed"],
  [/\b(waiting|waits|pending|late)\b/, "pending", "waiting"],
  [/\bdelivered\b|\bgot\b/, "delivered", "delivered"],
  [/\bcancell?ed\b/, "cancelled", "cancelled"],
];

/** Most entries of one kind. */
const MOST = 6;

/** Finds entries for a text: an id, a name, or a question such as `kestrel invoice.paid this morning`. */
export function understand(typed: string, known: Known): readonly Found[] {
  const text = typed.trim().toLowerCase();
  const id = idIn(typed.trim());
  if (id !== null) return [id];
  if (text === "") return PAGES;
  const question = questionIn(text, known);
  const named = (kind: readonly Named[]) =>
    kind
      .filter(({ name, also }) => has(`${name} ${also}`, text))
      .toSorted((a, b) => Number(has(b.name, text)) - Number(has(a.name, text)))
      .slice(0, MOST);
  return [
    ...(question?.isSpecific ? [question.found] : []),
    ...PAGES.filter(({ label }) => has(label, text)),
    ...named(known.endpoints).map(({ id, name, also }) => endpoint(id, name, also)),
    ...named(known.accounts).map(
      ({ id, name }): Found => ({
        label: name,
        detail: "Account",
        icon: "accounts",
        path: "/console",
        query: { account: id },
      }),
    ),
    ...(question && !question.isSpecific ? [question.found] : []),
    ...known.types
      .filter((type) => has(type, text))
      .slice(0, MOST)
      .map(
        (type): Found => ({
          label: type,
          detail: "Event type",
          icon: "types",
          path: `/console/event-types/${encodeURIComponent(type)}`,
        }),
      ),
  ];
}

function endpoint(id: string, name: string, also: string): Found {
  return { label: name, detail: also.split(" ")[0], icon: "endpoints", path: `/console/endpoints/${id}` };
}

function idIn(text: string): Found | null {
  if (/^wh_\w+$/.test(text))
    return { label: text, detail: "Delivery", icon: "deliveries", path: `/console/deliveries/${text}` };
  if (/^evt_\w+$/.test(text))
    return { label: text, detail: "Event", icon: "events", path: `/console/events/${text}` };
  if (/^ep_\w+$/.test(text))
    return { label: text, detail: "Endpoint", icon: "endpoints", path: `/console/endpoints/${text}` };
  if (/^job_\w+$/.test(text))
    return { label: text, detail: "Job", icon: "jobs", path: `/console/jobs/${text}` };
  if (/^key_\w+$/.test(text)) return { label: text, detail: "Key", icon: "key", path: "/console/keys" };
  if (/^acc_\w+$/.test(text))
    return { label: text, detail: "Account", icon: "accounts", path: "/console", query: { account: text } };
  return null;
}

type DeliveryQuestion = Readonly<{ found: Found; isSpecific: boolean }>;

/** Builds the filters for a question about deliveries. Returns null if it names neither customer nor event. */
function questionIn(text: string, { accounts, endpoints, types }: Known): DeliveryQuestion | null {
  const time = TIMES.find(([pattern]) => pattern.test(text));
  const status = STATUSES.find(([pattern]) => pattern.test(text));
  const rest = text.replace(time?.[0] ?? /$^/, " ").replace(status?.[0] ?? /$^/, " ");
  const words = rest.split(/\s+/).filter((word) => word.length > 1 && !FILLERS.has(word.replace(/\W/g, "")));
  const type =
    types.find((each) => words.includes(each.toLowerCase())) ??
    words.find((word) => /^[\w-]+\.[\w.-]+$/.test(word) && types.length === 0);
  const others = words
    .filter((word) => word !== type?.toLowerCase())
    .map((word) => word.replace(/[?!,;]/g, ""));
  const isMeant = ({ name, also }: Named) =>
    others.length > 0 && others.every((word) => has(`${name} ${also}`, word));
  const account = accounts.find(isMeant);
  const target = account ? undefined : endpoints.find(isMeant);
  if (!type && !account && !target) return null;
  if (others.length > 0 && !account && !target) return null;
  const parts = [
    type ?? "everything",
    account ? `to ${account.name}` : target && `to ${target.name}`,
    status?.[2],
    time?.[2],
  ];
  const found = {
    label: `Deliveries: ${parts.filter(Boolean).join(", ")}`,
    icon: "deliveries",
    path: "/console/deliveries",
    query: {
      event: type,
      account: account?.id,
      endpoint: target?.id,
      status: status?.[1],
      time: time?.[1],
    },
  };
  // For a name alone, the page of the named thing comes first.
  return { found, isSpecific: Boolean(type || time || status) };
}

const FILLERS = new Set([
  "did",
  "get",
  "the",
  "to",
  "for",
  "and",
  "of",
  "in",
  "what",
  "all",
  "has",
  "have",
  "an",
]);

function has(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted);
}
