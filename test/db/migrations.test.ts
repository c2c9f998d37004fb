import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS } from "../../src/installation/migrate";
import { flawsOf } from "./migration-flaws";

const [first, ...later] = readdirSync(MIGRATIONS)
  .filter((name) => name.endsWith(".sql"))
  .toSorted();

test("every migration after the first is instant, whatever the tables contain", () => {
  expect(first).toBe("0000_initial.sql");
  const flaws = later.flatMap((name) => flawsOf(readFileSync(join(MIGRATIONS, name), "utf8")));
  expect(flaws).toEqual([]);
});

describe("the check of migrations", () => {
  test.each([
    `ALTER TABLE "deliveries" ADD COLUMN "trace" text;`,
    `ALTER TABLE "endpoints" ADD COLUMN "slow" boolean DEFAULT false NOT NULL;`,
    `ALTER TABLE "endpoints" ADD COLUMN "kind" "kind" DEFAULT 'plain'::kind NOT NULL;--> statement-breakpoint
     ALTER TABLE "endpoints" ADD CONSTRAINT "kinds" CHECK (kind <> '') NOT VALID;`,
    `CREATE TABLE "notes" ("id" uuid PRIMARY KEY);--> statement-breakpoint
     CREATE INDEX "notes_id" ON "notes" USING btree ("id");--> statement-breakpoint
     INSERT INTO "notes" VALUES (gen_random_uuid());`,
    `ALTER TYPE "public"."state" ADD VALUE 'late';`,
    `ALTER TABLE "endpoints" ALTER COLUMN "url" DROP NOT NULL;`,
  ])("allows %s", (migration) => {
    expect(flawsOf(migration)).toEqual([]);
  });

  test.each([
    `CREATE INDEX "late" ON "deliveries" USING btree ("event");`,
    `UPDATE "deliveries" SET "event" = '';`,
    `DELETE FROM "queue";`,
    `ALTER TABLE "deliveries" ADD COLUMN "at" timestamp DEFAULT now();`,
    `ALTER TABLE "deliveries" ADD COLUMN "at" timestamp NOT NULL;`,
    `ALTER TABLE "deliveries" ADD COLUMN "size" integer CHECK (size > 0);`,
    `ALTER TABLE "deliveries" ALTER COLUMN "event" SET NOT NULL;`,
    `ALTER TABLE "deliveries" ALTER COLUMN "event" SET DATA TYPE varchar;`,
    `ALTER TABLE "deliveries" ADD CONSTRAINT "named" CHECK (event <> '');`,
    `ALTER TABLE "deliveries" DROP COLUMN "event";`,
    `DROP TABLE "queue";`,
    `LOCK TABLE "deliveries" IN ACCESS EXCLUSIVE MODE;`,
    `CREATE TABLE "notes" ("id" uuid);--> statement-breakpoint CREATE INDEX "late" ON "queue" ("id");`,
    `ALTER TABLE "deliveries" ADD COLUMN "a" text;--> statement-breakpoint ALTER TABLE "queue" ADD COLUMN "a" text;`,
  ])("refuses %s", (migration) => {
    expect(flawsOf(migration)).toHaveLength(1);
  });
});
