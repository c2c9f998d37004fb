-- All that this migration locks, at once: who writes has the table before its partition, and would close a circle with it.
LOCK TABLE "deliveries" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
-- Processes of the version before look deliveries up by their ids alone. The partitions that they may know keep an index for
-- that; those that are made from now on have none.
DO $$
DECLARE
  known regclass;
BEGIN
  IF EXISTS (SELECT FROM "deliveries") THEN
    FOR known IN SELECT inhrelid FROM pg_inherits WHERE inhparent = '"deliveries"'::regclass LOOP
      EXECUTE format('CREATE INDEX ON %s ("id")', known);
    END LOOP;
  END IF;
END
$$;--> statement-breakpoint
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_pkey";--> statement-breakpoint
DROP INDEX "deliveries_account";--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_account_id_id_pk" PRIMARY KEY("account_id","id");
