-- All that this migration locks, at once: who writes has the table before its partition, and would close a circle with it.
LOCK TABLE "results" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
-- Processes of the version before look results up by their deliveries' ids alone. The partitions that they may know keep an
-- index for that; those that are made from now on have none. A hash has no order, so that no list is read from it.
DO $$
DECLARE
  known regclass;
BEGIN
  IF EXISTS (SELECT FROM "results") THEN
    FOR known IN SELECT inhrelid FROM pg_inherits WHERE inhparent = '"results"'::regclass LOOP
      EXECUTE format('CREATE INDEX ON %s USING hash ("delivery_id")', known);
    END LOOP;
  END IF;
END
$$;--> statement-breakpoint
ALTER TABLE "results" DROP CONSTRAINT "results_pkey";--> statement-breakpoint
DROP INDEX "results_endpoint";--> statement-breakpoint
ALTER TABLE "results" ADD CONSTRAINT "results_endpoint_id_delivery_id_pk" PRIMARY KEY("endpoint_id","delivery_id");
