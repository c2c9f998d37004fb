CREATE TABLE "tallies" (
	"account_id" uuid NOT NULL,
	"event" text NOT NULL,
	"accepted" integer DEFAULT 0 NOT NULL,
	"delivered" integer DEFAULT 0 NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
--> statement-breakpoint
CREATE INDEX "tallies_account" ON "tallies" USING btree ("account_id");
