-- All that this migration locks, at once: other processes run on beside it, and their statements, which
-- hold one of these tables while they wait for another, would close a circle with it.
LOCK TABLE "queue", "deliveries", "results" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "results" ADD COLUMN "endpoint_id" uuid;--> statement-breakpoint
UPDATE "results" r SET "endpoint_id" = d."endpoint_id" FROM "deliveries" d WHERE d."id" = r."delivery_id";--> statement-breakpoint
ALTER TABLE "results" ALTER COLUMN "endpoint_id" SET NOT NULL;--> statement-breakpoint
-- For processes of the version before, as long as some run beside this one's: they leave it out.
CREATE FUNCTION results_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.endpoint_id := (SELECT d.endpoint_id FROM deliveries d WHERE d.id = NEW.delivery_id);
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER "results_endpoint" BEFORE INSERT ON "results" FOR EACH ROW WHEN (NEW."endpoint_id" IS NULL) EXECUTE FUNCTION results_endpoint();--> statement-breakpoint
CREATE INDEX "results_endpoint" ON "results" USING btree ("endpoint_id","delivery_id");--> statement-breakpoint
DROP INDEX "deliveries_endpoint";--> statement-breakpoint
DROP INDEX "queue_account";--> statement-breakpoint
CREATE INDEX "queue_account" ON "queue" USING btree ("account_id","delivery_id","endpoint_id");
