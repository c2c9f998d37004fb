-- All that this migration and the four after it lock, at once: other processes run on beside it, and their statements, which
-- hold one of these tables while they wait for another, would close a circle with it.
LOCK TABLE "mailboxes", "queue", "deliveries", "results" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "duration_ms" integer;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "response_body" text;