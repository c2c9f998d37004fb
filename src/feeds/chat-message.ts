import { parseExactly } from "../runtime/text/exact-json";
import type { FeedPayload } from "./feed-event";

/** Titles for people. Any other event has its type as the title. */
const TITLES: Readonly<Record<FeedPayload["type"], string>> = {
  "delivery.failed": "Delivery failed",
  "endpoint.failing": "Endpoint is failing",
  "endpoint.blocked": "A delivery holds back its order",
  "endpoint.disabled": "Endpoint disabled",
  "endpoint.recovered": "Endpoint recovered",
  "endpoint.expiring": "Pending deliveries are about to expire",
  "usage.limit_near": "Monthly limit is near or reached",
};

/** Most facts in a message: a section of Slack takes 10 fields. */
export const MAX_FACTS = 10;
/** Most characters of a name or value. Slack takes 2,000 in a field, and escaping makes up to five of one. */
export const MAX_FACT_CHARACTERS = 190;

type Fact = readonly [name: string, value: string];
type ChatMessage = Readonly<{
  title: string;
  subject: string | null;
  facts: readonly Fact[];
  /** The page of the console about it; null for none. */
  link: string | null;
}>;
type ReportWriter = (event: string | null, payload: string, publicUrl?: string | null) => string;

/** The fields of a report that a message shows first, since it has room for some only, and last. */
const SINCE = ["failing_since", "since", "created_at", "expires_at"];
const FIRST = ["account_name", "description", "url", ...SINCE, "waiting"];
const LAST = ["id", "delivery_id", "endpoint_id", "account_id"];
const LINK = "console_url";
const LINK_TEXT = "Open in Hermod";

/**
 * Writes the body for an incoming webhook of Slack. Every text is escaped, so it can't mention or link. The only link leads to a
 * page at `publicUrl`.
 */
export function slackMessage(event: string | null, payload: string, publicUrl: string | null = null): string {
  const message = messageOf(event, payload, publicUrl);
  const { title, facts, link } = message;
  // `verbatim` keeps Slack from turning names and addresses into links.
  const textOf = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
  const fields = facts.map(([name, value]) => textOf(`*${escaped(name)}*\n${escaped(value)}`));
  return JSON.stringify({
    text: escaped(headlineOf(message)),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "section", text: textOf(`*${escaped(title)}*`), ...(fields.length > 0 && { fields }) },
      ...(link === null ? [] : [{ type: "section", text: textOf(`<${escaped(link)}|${LINK_TEXT}>`) }]),
    ],
  });
}

/** Writes the body for a workflow of Teams. Text is in text runs, where Teams reads no Markdown. */
export function teamsMessage(event: string | null, payload: string, publicUrl: string | null = null): string {
  const { title, facts, link } = messageOf(event, payload, publicUrl);
  const strong = (text: string) => ({ type: "TextRun", text, weight: "Bolder" });
  const line = (...inlines: object[]) => ({ type: "RichTextBlock", inlines });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      line({ ...strong(title), size: "Medium" }),
      ...facts.map(([name, value]) => line(strong(`${name}: `), { type: "TextRun", text: value })),
    ],
    ...(link !== null && { actions: [{ type: "Action.OpenUrl", title: LINK_TEXT, url: link }] }),
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return JSON.stringify({ type: "message", attachments: [{ contentType, contentUrl: null, content }] });
}

/** Writes the plain text of an e-mail. Its first line is also the subject. */
export function emailMessage(event: string | null, payload: string, publicUrl: string | null = null): string {
  const message = messageOf(event, payload, publicUrl);
  const facts = message.facts.map(([name, value]) => `${name}: ${value}\n`);
  const link = message.link === null ? "" : `\n${LINK_TEXT}: ${message.link}\n`;
  return `${headlineOf(message)}\n\n${facts.join("")}${link}`;
}

/** Returns the writers of messages by format. Messages link to no other place than the console at `publicUrl`. */
export function messagesFor(publicUrl: string | null) {
  const linking =
    (write: ReportWriter) =>
    (event: string | null, payload: string): string =>
      write(event, payload, publicUrl);
  return { slack: linking(slackMessage), teams: linking(teamsMessage), email: linking(emailMessage) };
}

function headlineOf({ title, subject }: ChatMessage): string {
  return subject === null ? title : `${title}: ${subject}`;
}

/** Makes a message of a feed's report, or of the fields of any other payload. */
function messageOf(event: string | null, payload: string, publicUrl: string | null): ChatMessage {
  const parsed = parseExactly(payload);
  const report = isReport(parsed, event) ? parsed : null;
  const data = report ? inOrder(boundsWritten(report.data)) : parsed;
  const fields = isObject(data) ? Object.entries(data) : [["data", data] as const];
  const all = [...fields, ...(report ? [["time", report.timestamp] as const] : [])].filter(
    ([, value]) => value !== null,
  );
  const about = isObject(data) ? (data.url ?? data.endpoint_id ?? data.id) : null;
  return {
    title: report ? TITLES[report.type] : plain(event ?? "Webhook"),
    subject: typeof about === "string" ? plain(about) : null,
    facts: limited(all.map(([name, value]) => [plain(name.replaceAll("_", " ")), plain(value)])),
    link: report && linkIn(report.data, publicUrl),
  };
}

/** Returns the page that a report links to. A sender can write its event like a report, so only our own pages count. */
function linkIn(data: FeedPayload["data"], publicUrl: string | null): string | null {
  const url = data[LINK];
  const isOurs = publicUrl !== null && typeof url === "string" && url.startsWith(`${publicUrl}/console`);
  return isOurs && /^[\w:/.?=&~-]{1,500}$/.test(url) ? url : null;
}

/** Puts what a person reads first at the beginning, and the ids at the end. */
function inOrder(data: FeedPayload["data"]): FeedPayload["data"] {
  const fields = Object.entries(data).filter(([name]) => name !== LINK);
  const rank = (name: string) =>
    FIRST.includes(name) ? FIRST.indexOf(name) - FIRST.length : LAST.indexOf(name) + 1;
  return Object.fromEntries(fields.toSorted(([a], [b]) => rank(a) - rank(b)));
}

const COMPLETE = "_complete";

/** Writes a number that `…_complete` calls a lower bound as `1000 or more`, and leaves that field out. */
function boundsWritten(data: FeedPayload["data"]): FeedPayload["data"] {
  const fields = Object.entries(data).filter(
    ([name]) => !(name.endsWith(COMPLETE) && name.slice(0, -COMPLETE.length) in data),
  );
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      data[name + COMPLETE] === false ? `${plain(value)} or more` : value,
    ]),
  );
}

function limited(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length <= MAX_FACTS) return facts;
  const shown = facts.slice(0, MAX_FACTS - 1);
  return [...shown, ["more", `${facts.length - shown.length} fields that are not shown here`]];
}

/** Makes one line of a value, short enough for a message. Strings are shown as they are, and other values as JSON. */
function plain(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const line = text.slice(0, MAX_FACT_CHARACTERS + 1).replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, " ");
  const shown = text.length > MAX_FACT_CHARACTERS ? `${line.slice(0, MAX_FACT_CHARACTERS)}…` : line;
  return shown.toWellFormed();
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function isReport(parsed: unknown, event: string | null): parsed is FeedPayload {
  if (event === null || !Object.hasOwn(TITLES, event) || !isObject(parsed)) return false;
  return parsed.type === event && typeof parsed.timestamp === "string" && isObject(parsed.data);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
