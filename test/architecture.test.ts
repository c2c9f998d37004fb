import { expect, test } from "bun:test";
import { circlesOf } from "./house/circles";
import { readSources, roomOf } from "./house/sources";

const sources = await readSources();
const edges = [...sources.values()].flatMap(({ path, imports }) => imports.map(({ to }) => ({ path, to })));

/** The rooms, lowest first. A room imports rooms of the lines above its own, and no room beside it. */
const LAYERS = [
  ["runtime", "client"],
  ["domain", "vault", "embedded"],
  ["db", "stream", "attempt", "console"],
  ["audit", "installation", "metrics", "ownership", "recorder"],
  ["accounts", "deliveries"],
  ["endpoints", "event-types", "oidc", "series", "sessions"],
  ["dispatch", "events", "intake", "retention"],
  ["feeds", "jobs", "tracing"],
  ["http", "otlp"],
  ["service"],
  ["cli", "doctor", "transfer"],
  ["demo"],
  ["src"],
];

/** Rules beside the layers: the first room never imports the second. */
const NEVER = [["http", "dispatch"]];

/**
 * The imports that break a rule today. They are to go: an import that is mended must leave the list, and a new one must not join
 * it.
 */
const AGAINST_LAYERS = [
  "src/accounts/authentication/authenticator.ts -> src/sessions/portal.ts",
  "src/accounts/authentication/authenticator.ts -> src/sessions/session-token.ts",
  "src/accounts/authentication/authenticator.ts -> src/sessions/sessions.ts",
  "src/accounts/authentication/principal.ts -> src/sessions/portal.ts",
  "src/accounts/authentication/principal.ts -> src/sessions/session-token.ts",
  "src/deliveries/cancellation.ts -> src/series/tallies.ts",
  "src/deliveries/resendable.ts -> src/endpoints/event-filter-sql.ts",
  "src/dispatch/attempt-log.ts -> src/tracing/tracing.ts",
  "src/dispatch/attempts.ts -> src/feeds/chat-message.ts",
  "src/http/console/routes.ts -> src/service/config.ts",
  "src/http/dependencies.ts -> src/service/config.ts",
  "src/http/edge/serve.ts -> src/service/config.ts",
  "src/http/own-url.ts -> src/service/config.ts",
];

/** The rooms other than `domain` that the schema imports today. */
const SCHEMA_IMPORTS = [
  "src/accounts/authentication/permissions.ts",
  "src/accounts/authentication/role.ts",
  "src/audit/audit-log.ts",
  "src/endpoints/health.ts",
  "src/endpoints/request-headers.ts",
  "src/endpoints/secret-rotation.ts",
  "src/event-types/schema/schema-compiler.ts",
  "src/jobs/job.ts",
  "src/sessions/portal.ts",
];

/** The circles of imports today. */
const CIRCLES = [
  [
    "src/audit/audit-log.ts",
    "src/db/schema.ts",
    "src/endpoints/health.ts",
    "src/endpoints/secret-rotation.ts",
  ],
  ["src/cli/connection.ts", "src/cli/failure.ts"],
  ["src/console/console/deliveries.tsx", "src/console/console/why-empty.tsx"],
  ["src/deliveries/delivery.ts", "src/deliveries/lists/search.ts"],
  ["src/intake/acceptance.ts", "src/intake/usage-shard.ts"],
  ["src/jobs/missing-filter.ts", "src/jobs/replay-step.ts"],
];

const layerOf = (path: string) => LAYERS.findIndex((rooms) => rooms.includes(roomOf(path)));
const written = ({ path, to }: { path: string; to: string }) => `${path} -> ${to}`;

function isAgainstLayers({ path, to }: { path: string; to: string }): boolean {
  if (roomOf(path) === roomOf(to)) return false;
  if (NEVER.some(([from, other]) => roomOf(path) === from && roomOf(to) === other)) return true;
  return layerOf(to) >= layerOf(path);
}

test("every room has its place in the order of rooms", () => {
  expect(LAYERS.flat().toSorted()).toEqual([...new Set([...sources.keys()].map(roomOf))].toSorted());
});

test("imports go one way through the rooms, types included", () => {
  const against = edges.filter(({ path }) => path !== "src/db/schema.ts").filter(isAgainstLayers);
  expect([...new Set(against.map(written))].toSorted()).toEqual(AGAINST_LAYERS);
});

test("the schema imports words of the domain alone", () => {
  const imported = edges.filter(({ path }) => path === "src/db/schema.ts").map(({ to }) => to);
  expect(imported.filter((to) => roomOf(to) !== "domain").toSorted()).toEqual(SCHEMA_IMPORTS);
});

test("no files import each other in a circle, types included", () => {
  expect(circlesOf(sources)).toEqual(CIRCLES);
});
