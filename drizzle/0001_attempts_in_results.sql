ALTER TABLE "results" ADD COLUMN "duration_ms" integer;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "response_body" text;