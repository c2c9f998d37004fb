DROP INDEX "queue_account";--> statement-breakpoint
CREATE INDEX "queue_account" ON "queue" USING btree ("account_id","delivery_id","endpoint_id") WHERE "queue"."account_id" is not null;