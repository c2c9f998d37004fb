import { and, eq, type SQL, sql } from "drizzle-orm";
import { endpoints } from "../db/schema";
import type { HealthState } from "../domain/health";
import { healthState } from "./health";

/** Filters of a list of endpoints; absent ones filter nothing. */
export type EndpointSearch = {
  health?: HealthState | undefined;
  externalId?: string | undefined;
  /** The endpoint's metadata must have all of these entries. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** A part of the description, the URL, the external id or a value of the metadata. Ignores case. */
  text?: string | undefined;
  /** False: endpoints that receive a feed are left out. */
  feeds?: boolean | undefined;
};

/** SQL: the condition of a search; undefined if every endpoint matches. Only the external id has an index. */
export function matchesSearch({
  health,
  externalId,
  metadata,
  text,
  feeds,
}: EndpointSearch): SQL | undefined {
  return and(
    feeds === false ? eq(endpoints.feed, false) : undefined,
    health && sql`${healthState} = ${health}`,
    externalId === undefined ? undefined : eq(endpoints.externalId, externalId),
    metadata && sql`${endpoints.metadata} @> ${JSON.stringify(metadata)}::text::jsonb`,
    text === undefined ? undefined : isFound(text),
  );
}

/**
 * Looks at the metadata as one text before its values. Taking the values apart costs five times as much as everything else, and
 * most endpoints match nowhere. A match in the values is always one in the text, where both are escaped.
 */
function isFound(text: string): SQL {
  const { url, description, externalId, metadata } = endpoints;
  const escaped = JSON.stringify(text).slice(1, -1);
  return sql`(
    strpos(lower(concat_ws(chr(10), ${url}, ${description}, ${externalId})), lower(${text})) > 0
    or strpos(lower(${metadata}::text), lower(${escaped})) > 0
      and exists (select from jsonb_each_text(${metadata}) m where strpos(lower(m.value), lower(${text})) > 0)
  )`;
}
