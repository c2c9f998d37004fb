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
  ["audit", "cold", "installation", "metrics", "ownership", "recorder"],
  ["accounts", "deliveries"],
  ["cells", "endpoints", "event-types", "oidc", "series", "sessions"],
  ["dispatch", "events", "intake", "pulling", "retention"],
  ["certification", "feeds", "jobs", "tracing"],
  ["api", "otlp"],
  ["resources", "router"],
  ["service"],
  ["cli", "doctor", "transfer"],
  ["moves"],
  ["demo"],
  ["src"],
];

/** Rules beside the layers: the first room never imports the second. */
const NEVER = [
  ["api", "dispatch"],
  ["resources", "dispatch"],
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
  expect(edges.filter(isAgainstLayers).map(written)).toEqual([]);
});

test("the schema imports words of the domain alone", () => {
  const imported = edges.filter(({ path }) => path === "src/db/schema.ts").map(({ to }) => to);
  expect(imported.filter((to) => roomOf(to) !== "domain")).toEqual([]);
});

test("no files import each other in a circle, types included", () => {
  expect(circlesOf(sources)).toEqual([]);
});
