-- Storage: where rows are updated at every commit (counters, totals, usage, mailboxes, leases, windows) pages are half
-- filled, so that updates stay in their page and leave the indexes alone (HOT). Where rows are updated or deleted at the
-- rate of the traffic, vacuum follows a fiftieth of the table, at full speed: reads begin at the oldest entries, which are
-- the dead ones until then. What is only ever inserted is frozen by its first vacuum, soon, before a checkpoint makes
-- that log whole pages; no later vacuum reads it again.
CREATE TYPE "public"."account_departure" AS ENUM('closing', 'left');--> statement-breakpoint
CREATE TYPE "public"."body_format" AS ENUM('payload', 'envelope', 'cloudevents', 'cloudevents_binary', 'slack', 'teams', 'email');--> statement-breakpoint
CREATE TYPE "public"."end_reason" AS ENUM('endpoint_deleted', 'event_filter', 'requested', 'erased', 'forgery_refused', 'expired');--> statement-breakpoint
CREATE TYPE "public"."delivery_status" AS ENUM('pending', 'delivered', 'failed', 'cancelled');--> statement-breakpoint
CREATE TYPE "public"."job_kind" AS ENUM('replay', 'missing_replay', 'resend', 'erasure');--> statement-breakpoint
CREATE TYPE "public"."job_state" AS ENUM('running', 'completed', 'cancelled', 'failed');--> statement-breakpoint
CREATE TYPE "public"."ordering" AS ENUM('ordered', 'by_key', 'unordered');--> statement-breakpoint
CREATE TYPE "public"."on_exhausted" AS ENUM('skip', 'pause');--> statement-breakpoint
CREATE TYPE "public"."while_inactive" AS ENUM('hold', 'skip');--> statement-breakpoint
CREATE TYPE "public"."cold_state" AS ENUM('writing', 'written', 'live', 'doomed');--> statement-breakpoint
CREATE SEQUENCE "public"."scheduled_number" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"plan" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"external_id" text,
	"audience_revision" integer DEFAULT 1 NOT NULL,
	"era" smallint DEFAULT 0 NOT NULL,
	"departure" "account_departure"
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text,
	"hash" "bytea" NOT NULL,
	"permissions" text[] NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"created_by" uuid,
	"endpoint_id" uuid,
	CONSTRAINT "api_keys_receiver" CHECK ("api_keys"."endpoint_id" is null or "api_keys"."permissions" = '{}')
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"delivery_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"attempt" smallint NOT NULL,
	"status" smallint NOT NULL,
	"error" text,
	"error_detail" text,
	"location" text,
	"started_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"response_body" text,
	"exchange" text,
	CONSTRAINT "attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
) PARTITION BY RANGE ("delivery_id");
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"operation" text NOT NULL,
	"target" text,
	"actor_kind" text NOT NULL,
	"key_id" uuid,
	"actor_name" text,
	"session_id" uuid,
	"request_id" text NOT NULL,
	"before" jsonb,
	"after" jsonb
);
--> statement-breakpoint
CREATE TABLE "cold_blocks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"state" "cold_state" DEFAULT 'writing' NOT NULL,
	"first_id" uuid NOT NULL,
	"last_id" uuid NOT NULL,
	"path" text NOT NULL,
	"digest" text DEFAULT '' NOT NULL,
	"byte_count" integer DEFAULT 0 NOT NULL,
	"row_count" integer DEFAULT 0 NOT NULL,
	"deliveries" integer DEFAULT 0 NOT NULL,
	"resent" uuid[] DEFAULT '{}' NOT NULL,
	"stamps" "int8multirange" DEFAULT '{}' NOT NULL,
	"counts" jsonb DEFAULT '[]'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cold_numbers" (
	"endpoint_id" uuid NOT NULL,
	"first" bigint NOT NULL,
	"last" bigint NOT NULL,
	"block_id" uuid NOT NULL,
	CONSTRAINT "cold_numbers_endpoint_id_last_block_id_pk" PRIMARY KEY("endpoint_id","last","block_id")
);
--> statement-breakpoint
CREATE TABLE "counter_deltas" (
	"account_id" uuid NOT NULL,
	"event" text NOT NULL,
	"accepted" integer DEFAULT 0 NOT NULL,
	"delivered" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"cancelled" integer DEFAULT 0 NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
--> statement-breakpoint
CREATE TABLE "counters" (
	"account_id" uuid NOT NULL,
	"event" text NOT NULL,
	"accepted" bigint DEFAULT 0 NOT NULL,
	"delivered" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL,
	"cancelled" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "counters_account_id_event_pk" PRIMARY KEY("account_id","event")
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"sequence" bigint,
	"event" text,
	"ordering_key" text,
	"transaction" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"data" text,
	"due_at" timestamp (3) with time zone,
	"replay_of" uuid,
	"event_external_id" text,
	"is_numbered_later" boolean,
	CONSTRAINT "deliveries_account_id_id_pk" PRIMARY KEY("account_id","id")
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "dispatchers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "endpoints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"url" text,
	"description" text,
	"filter" text,
	"event_types" text[] DEFAULT '{"*"}' NOT NULL,
	"signing_secret" text NOT NULL,
	"earlier_secrets" jsonb,
	"headers" jsonb,
	"is_active" boolean DEFAULT true NOT NULL,
	"feed" boolean DEFAULT false NOT NULL,
	"feed_accounts" uuid[],
	"inactive_since" timestamp (3) with time zone,
	"disabled_reason" text,
	"failing_since" timestamp (3) with time zone,
	"failed_deliveries" integer DEFAULT 0 NOT NULL,
	"gone_since" timestamp (3) with time zone,
	"is_warned" boolean DEFAULT false NOT NULL,
	"expiry_warned_at" timestamp (3) with time zone,
	"blocked_by" uuid,
	"blocked_since" timestamp (3) with time zone,
	"rests_until" timestamp (3) with time zone,
	"switched_until" timestamp (3) with time zone,
	"last_read_at" timestamp (3) with time zone,
	"read_position" text,
	"last_success_at" timestamp (3) with time zone,
	"last_failure" jsonb,
	"filter_errors" jsonb,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"retry_schedule_ms" jsonb,
	"timeout_ms" integer,
	"rate_limit" double precision,
	"ordering" "ordering" DEFAULT 'ordered' NOT NULL,
	"while_inactive" "while_inactive" DEFAULT 'hold' NOT NULL,
	"on_exhausted" "on_exhausted" DEFAULT 'skip' NOT NULL,
	"permanent_statuses" smallint[] DEFAULT '{}' NOT NULL,
	"format" "body_format" DEFAULT 'payload' NOT NULL,
	"traceparent" boolean DEFAULT false NOT NULL,
	"content_type" text DEFAULT 'application/json' NOT NULL,
	"max_in_flight" smallint DEFAULT 10 NOT NULL,
	"batch_size" smallint DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"external_id" text,
	CONSTRAINT "endpoints_email" CHECK (("endpoints"."format" = 'email') = coalesce("endpoints"."url" like 'mailto:%', false) and ("endpoints"."format" <> 'email' or ("endpoints"."feed" and "endpoints"."headers" is null))),
	CONSTRAINT "endpoints_batches" CHECK ("endpoints"."batch_size" = 1 or ("endpoints"."ordering" <> 'unordered' and "endpoints"."format" = 'envelope')),
	CONSTRAINT "endpoints_feed_accounts" CHECK ("endpoints"."feed_accounts" is null or "endpoints"."feed")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"delivery_id" uuid PRIMARY KEY NOT NULL,
	"erased_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_types" (
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"schema" text,
	"schema_version" integer DEFAULT 0 NOT NULL,
	"description" text,
	"group" text,
	"example" text,
	"deprecated" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_types_account_id_name_pk" PRIMARY KEY("account_id","name")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"event" text,
	"ordering_key" text,
	"external_id" text,
	"data" text NOT NULL,
	"delivery_count" smallint NOT NULL,
	"inactive" uuid[],
	"refused_by" uuid[],
	CONSTRAINT "events_account_id_id_pk" PRIMARY KEY("account_id","id")
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "feed_outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "feed_outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" uuid NOT NULL,
	"about" uuid NOT NULL,
	"event" text NOT NULL,
	"facts" json NOT NULL,
	"occurred_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"delivery_id" uuid,
	"status" smallint,
	"response" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_account_id_key_pk" PRIMARY KEY("account_id","key")
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" "job_kind" NOT NULL,
	"state" "job_state" DEFAULT 'running' NOT NULL,
	"endpoint_id" uuid,
	"event" text,
	"status" "delivery_status",
	"created_from" timestamp (3) with time zone,
	"created_before" timestamp (3) with time zone NOT NULL,
	"position" uuid NOT NULL,
	"at_origin_only" boolean DEFAULT false NOT NULL,
	"remaining" uuid[],
	"total" bigint,
	"examined" bigint DEFAULT 0 NOT NULL,
	"done" bigint DEFAULT 0 NOT NULL,
	"failure" text,
	"next_step_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"waited_ms" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "mailboxes" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"partition" smallint NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"filter_revision" integer DEFAULT 1 NOT NULL,
	"queue_revision" integer DEFAULT 1 NOT NULL,
	"last_sequence" bigint DEFAULT 0 NOT NULL,
	"origin_sequence" bigint
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "moved_rows" (
	"account_id" uuid NOT NULL,
	"number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "moved_rows_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"table" text NOT NULL,
	"rows" json NOT NULL,
	CONSTRAINT "moved_rows_account_id_number_pk" PRIMARY KEY("account_id","number")
);
--> statement-breakpoint
CREATE TABLE "moves" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"deadline" timestamp (3) with time zone NOT NULL,
	"held_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "partition_leases" (
	"partition" smallint PRIMARY KEY NOT NULL,
	"owner" uuid,
	"term" bigint DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "plans" (
	"name" text PRIMARY KEY NOT NULL,
	"requests_per_minute" integer,
	"webhooks_per_month" bigint
);
--> statement-breakpoint
CREATE TABLE "processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"version" text NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"memory_bytes" bigint NOT NULL,
	"cpu_seconds" double precision NOT NULL,
	"figures" jsonb NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "pulls" (
	"endpoint_id" uuid NOT NULL,
	"receipt" uuid DEFAULT gen_random_uuid() NOT NULL,
	"previous" uuid,
	"sequences" bigint[] NOT NULL,
	"ordering_keys" text[] NOT NULL,
	"handed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "pulls_endpoint_id_receipt_pk" PRIMARY KEY("endpoint_id","receipt")
);
--> statement-breakpoint
CREATE TABLE "queue" (
	"partition" smallint NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"delivery_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"attempt_count" smallint DEFAULT 0 NOT NULL,
	"free_attempts" smallint DEFAULT 0 NOT NULL,
	"next_is_free" boolean DEFAULT false NOT NULL,
	"response_status" smallint,
	"next_attempt_at" timestamp (3) with time zone,
	"ordering_key" text COLLATE "C",
	"single_attempt_to" bigint,
	CONSTRAINT "queue_partition_endpoint_id_sequence_pk" PRIMARY KEY("partition","endpoint_id","sequence")
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE UNLOGGED TABLE "rate_windows" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"allowance" integer NOT NULL,
	"used" integer NOT NULL,
	"granted" integer NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "results" (
	"delivery_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"status" "delivery_status" NOT NULL,
	"attempt_count" smallint NOT NULL,
	"response_status" smallint,
	"end_reason" "end_reason",
	"completed_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer,
	"response_body" text,
	"exchange" text,
	"endpoint_id" uuid NOT NULL,
	CONSTRAINT "results_endpoint_id_delivery_id_pk" PRIMARY KEY("endpoint_id","delivery_id")
) PARTITION BY RANGE ("delivery_id");
--> statement-breakpoint
CREATE TABLE "retention_counts" (
	"time_range" text NOT NULL,
	"account_id" uuid NOT NULL,
	"event" text NOT NULL,
	"accepted" bigint DEFAULT 0 NOT NULL,
	"delivered" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL,
	"cancelled" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "retention_counts_time_range_account_id_event_pk" PRIMARY KEY("time_range","account_id","event")
);
--> statement-breakpoint
CREATE TABLE "retention_progress" (
	"time_range" text PRIMARY KEY NOT NULL,
	"began" "xid8" DEFAULT pg_snapshot_xmin(pg_current_snapshot()) NOT NULL,
	"account_id" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL,
	"delivery_id" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL,
	"is_complete" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schema_versions" (
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"schema" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schema_versions_account_id_name_version_pk" PRIMARY KEY("account_id","name","version")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"person" jsonb,
	"portal" jsonb,
	"is_link" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "series" (
	"subject" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"codes" integer[] NOT NULL,
	"counts" integer[] NOT NULL,
	CONSTRAINT "series_subject_at_pk" PRIMARY KEY("subject","at")
);
--> statement-breakpoint
CREATE TABLE "series_positions" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"accepted" bigint DEFAULT 0 NOT NULL,
	"ended" bigint DEFAULT 0 NOT NULL,
	"last_success_at" timestamp (3) with time zone
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tallies" (
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"endpoint_ids" uuid[] NOT NULL,
	"codes" integer[] NOT NULL,
	"counts" bigint[]
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
--> statement-breakpoint
CREATE TABLE "totals" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"accepted" bigint DEFAULT 0 NOT NULL,
	"delivered" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL,
	"cancelled" bigint DEFAULT 0 NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "traces" (
	"id" uuid PRIMARY KEY NOT NULL,
	"traceparent" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage" (
	"account_id" uuid NOT NULL,
	"period" date NOT NULL,
	"used" bigint DEFAULT 0 NOT NULL,
	"shard" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_account_id_period_shard_pk" PRIMARY KEY("account_id","period","shard")
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "usage_notices" (
	"account_id" uuid NOT NULL,
	"period" date NOT NULL,
	"percent" smallint NOT NULL,
	CONSTRAINT "usage_notices_account_id_period_percent_pk" PRIMARY KEY("account_id","period","percent")
);
--> statement-breakpoint
CREATE TABLE "used_sign_ins" (
	"id" "bytea" PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_plan_plans_name_fk" FOREIGN KEY ("plan") REFERENCES "public"."plans"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_api_keys_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cold_numbers" ADD CONSTRAINT "cold_numbers_block_id_cold_blocks_id_fk" FOREIGN KEY ("block_id") REFERENCES "public"."cold_blocks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_external_id" ON "accounts" USING btree ("external_id") WHERE "accounts"."external_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","id") WHERE "api_keys"."endpoint_id" is null;--> statement-breakpoint
CREATE INDEX "api_keys_endpoint" ON "api_keys" USING btree ("endpoint_id","id") WHERE "api_keys"."endpoint_id" is not null;--> statement-breakpoint
CREATE INDEX "api_keys_created_by" ON "api_keys" USING btree ("created_by") WHERE "api_keys"."created_by" is not null;--> statement-breakpoint
CREATE INDEX "attempts_errors" ON "attempts" USING btree ("delivery_id","error") WHERE "attempts"."error" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_target" ON "audit_log" USING btree ("target","id");--> statement-breakpoint
CREATE INDEX "cold_blocks_account" ON "cold_blocks" USING btree ("account_id","last_id") WHERE "cold_blocks"."state" = 'live';--> statement-breakpoint
CREATE INDEX "cold_blocks_next" ON "cold_blocks" USING btree ("account_id",lower("stamps")) WHERE "cold_blocks"."state" = 'live';--> statement-breakpoint
CREATE INDEX "cold_blocks_across" ON "cold_blocks" USING btree ("account_id",upper("stamps"),lower("stamps")) WHERE "cold_blocks"."state" = 'live';--> statement-breakpoint
CREATE INDEX "cold_blocks_last" ON "cold_blocks" USING btree ("last_id") WHERE "cold_blocks"."state" = 'live';--> statement-breakpoint
CREATE INDEX "cold_blocks_unfinished" ON "cold_blocks" USING btree ("state") WHERE "cold_blocks"."state" <> 'live';--> statement-breakpoint
CREATE INDEX "cold_numbers_block" ON "cold_numbers" USING btree ("block_id");--> statement-breakpoint
CREATE INDEX "counter_deltas_account" ON "counter_deltas" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "deliveries_replays" ON "deliveries" USING btree ("replay_of") WHERE "deliveries"."replay_of" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_event" ON "deliveries" USING btree ("account_id","event","id");--> statement-breakpoint
CREATE INDEX "deliveries_transaction" ON "deliveries" USING btree ("account_id","transaction","id");--> statement-breakpoint
CREATE INDEX "deliveries_numbered_later" ON "deliveries" USING btree ("endpoint_id","sequence") WHERE "deliveries"."is_numbered_later";--> statement-breakpoint
CREATE UNIQUE INDEX "endpoints_external_id" ON "endpoints" USING btree ("account_id","external_id") WHERE "endpoints"."external_id" is not null and "endpoints"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "endpoints_account" ON "endpoints" USING btree ("account_id","id") WHERE "endpoints"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "endpoints_unfinished" ON "endpoints" USING btree ("id") WHERE "endpoints"."deleted_at" is not null and "endpoints"."signing_secret" <> '';--> statement-breakpoint
CREATE INDEX "endpoints_rotated" ON "endpoints" USING btree ("id") WHERE "endpoints"."earlier_secrets" is not null;--> statement-breakpoint
CREATE INDEX "endpoints_filter_errors" ON "endpoints" USING btree ("id") WHERE "endpoints"."filter_errors" is not null;--> statement-breakpoint
CREATE INDEX "endpoints_filter" ON "endpoints" USING btree ("account_id") WHERE "endpoints"."filter" is not null and "endpoints"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "endpoints_feed" ON "endpoints" USING btree ("account_id") WHERE "endpoints"."feed";--> statement-breakpoint
CREATE INDEX "endpoints_feed_accounts" ON "endpoints" USING btree ("account_id") WHERE "endpoints"."feed_accounts" is not null and "endpoints"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "event_types_newest" ON "event_types" USING btree ("account_id","created_at","name");--> statement-breakpoint
CREATE INDEX "event_types_schema" ON "event_types" USING btree ("account_id","name") WHERE "event_types"."schema" is not null;--> statement-breakpoint
CREATE INDEX "events_event" ON "events" USING btree ("account_id","event","id");--> statement-breakpoint
CREATE INDEX "events_external" ON "events" USING btree ("account_id","external_id","id") WHERE "events"."external_id" is not null;--> statement-breakpoint
CREATE INDEX "feed_outbox_account" ON "feed_outbox" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "jobs_account" ON "jobs" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "jobs_running" ON "jobs" USING btree ("next_step_at") WHERE "jobs"."state" = 'running';--> statement-breakpoint
CREATE INDEX "jobs_running_of_account" ON "jobs" USING btree ("account_id") WHERE "jobs"."state" = 'running';--> statement-breakpoint
CREATE INDEX "queue_keys" ON "queue" USING btree ("partition","endpoint_id","ordering_key","sequence") WHERE "queue"."ordering_key" is not null;--> statement-breakpoint
CREATE INDEX "queue_account" ON "queue" USING btree ("account_id","delivery_id","endpoint_id") WHERE "queue"."account_id" is not null;--> statement-breakpoint
CREATE INDEX "queue_scheduled" ON "queue" USING btree ("next_attempt_at") WHERE "queue"."partition" = -1;--> statement-breakpoint
CREATE INDEX "queue_retries" ON "queue" USING btree ("partition","endpoint_id","next_attempt_at") WHERE "queue"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "results_status" ON "results" USING btree ("account_id","status","delivery_id");--> statement-breakpoint
CREATE INDEX "results_troubled" ON "results" USING btree ("account_id","delivery_id","status","endpoint_id","response_status") WHERE "results"."duration_ms" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_hash" ON "sessions" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "sessions_key" ON "sessions" USING btree ("key_id","id");--> statement-breakpoint
CREATE INDEX "series_at" ON "series" USING brin ("at");--> statement-breakpoint
-- Whether a payload's top-level fields have these values. What Postgres can't take for JSON (an escaped NUL, half of
-- a surrogate pair) has no fields.
CREATE FUNCTION payload_has("data" text, "names" text[], "wanted" text[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  parsed json;
  field json;
BEGIN
  parsed := data;
  FOR i IN 1 .. cardinality(names) LOOP
    field := parsed -> names[i];
    IF coalesce(json_typeof(field), 'null') NOT IN ('string', 'number', 'boolean') OR field #>> '{}' <> wanted[i] THEN
      RETURN false;
    END IF;
  END LOOP;
  RETURN true;
EXCEPTION WHEN data_exception THEN
  RETURN false;
END
$$;--> statement-breakpoint
-- Aborts a commit of sends whose plan does not fit the rows any more. The log of Postgres shows the message.
CREATE FUNCTION plan_out_of_date() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an endpoint, a key or a monthly limit has changed: Hermod plans this commit again' USING ERRCODE = 'HM001';
END
$$;--> statement-breakpoint
-- The place of a transaction in the order that iterators follow: after everything of earlier eras of the account. 2^48
-- transactions are nine years at a million a second.
CREATE FUNCTION stamp(era smallint, transaction xid8) RETURNS xid8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ((era::bigint << 48) + transaction::text::bigint)::text::xid8
$$;--> statement-breakpoint
-- Counts a change by which other endpoints may get an account's events, so that no intake plans with the ones before. A trigger,
-- which no statement that changes endpoints can forget. Deferred: the account's row is locked last, so nobody deadlocks over it.
CREATE FUNCTION audience_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET audience_revision = audience_revision + 1 WHERE id = NEW.account_id;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER endpoint_added AFTER INSERT ON "endpoints" DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION audience_changed();--> statement-breakpoint
CREATE CONSTRAINT TRIGGER endpoint_changed AFTER UPDATE ON "endpoints" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
WHEN ((OLD.event_types, OLD.filter IS NULL, OLD.is_active, OLD.while_inactive, OLD.feed, OLD.feed_accounts, OLD.deleted_at)
  IS DISTINCT FROM (NEW.event_types, NEW.filter IS NULL, NEW.is_active, NEW.while_inactive, NEW.feed, NEW.feed_accounts, NEW.deleted_at))
EXECUTE FUNCTION audience_changed();--> statement-breakpoint
-- Refuses what would be written for an account that has left for another cell, and so would be lost: by a request that was under
-- way. Locks the account, so that a write is either before its departure, and moves with it, or is refused. The other tables need no
-- trigger: their writers lock rows that the departure removes (mailboxes, the queue, endpoints).
CREATE FUNCTION refuse_departed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  account uuid;
  found account_departure;
BEGIN
  IF TG_TABLE_NAME = 'accounts' THEN
    account := OLD.id;
  ELSIF TG_OP = 'DELETE' THEN
    account := OLD.account_id;
  ELSE
    account := NEW.account_id;
  END IF;
  SELECT departure INTO found FROM accounts WHERE id = account FOR KEY SHARE;
  IF found = 'left' THEN
    RAISE EXCEPTION 'the account moves to another cell: the request is answered 503 until it has arrived' USING ERRCODE = 'HM002';
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;--> statement-breakpoint
CREATE TRIGGER account_changed BEFORE UPDATE OF "name", "plan", "external_id", "audience_revision" ON "accounts" FOR EACH ROW
WHEN (OLD.departure = 'left') EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER key_changed BEFORE INSERT OR DELETE OR UPDATE OF "name", "permissions", "is_active", "expires_at" ON "api_keys" FOR EACH ROW EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER session_begun BEFORE INSERT ON "sessions" FOR EACH ROW EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER endpoint_created BEFORE INSERT ON "endpoints" FOR EACH ROW EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER event_type_written BEFORE INSERT ON "event_types" FOR EACH ROW EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER schema_written BEFORE INSERT ON "schema_versions" FOR EACH ROW EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER job_begun BEFORE INSERT ON "jobs" FOR EACH ROW EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER delivery_erased BEFORE UPDATE ON "deliveries" FOR EACH ROW EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER event_erased BEFORE UPDATE ON "events" FOR EACH ROW EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
CREATE TRIGGER unwanted_event BEFORE INSERT ON "events" FOR EACH ROW
WHEN (NEW.delivery_count = 0) EXECUTE FUNCTION refuse_departed();--> statement-breakpoint
-- Holds pushed endpoints back that are created or switched while their account's deliveries wait to leave. An attempt at one of them
-- would be under way when the account leaves, and follow those that its next cell makes.
CREATE FUNCTION wait_to_leave() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.switched_until := greatest(
    NEW.switched_until,
    (SELECT held_until FROM moves WHERE account_id = NEW.account_id AND held_until > now())
  );
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER endpoint_pushed BEFORE INSERT OR UPDATE OF "url", "switched_until" ON "endpoints" FOR EACH ROW
WHEN (NEW.url IS NOT NULL) EXECUTE FUNCTION wait_to_leave();--> statement-breakpoint
-- The accounts with a feed that reports on an account: its own, and those with a feed about others.
CREATE FUNCTION feed_hearers(about uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
  SELECT account_id FROM endpoints
  WHERE account_id = about AND feed AND deleted_at IS NULL AND feed_accounts IS NULL
  UNION
  SELECT account_id FROM endpoints
  WHERE feed_accounts IS NOT NULL AND deleted_at IS NULL AND (feed_accounts = '{}' OR about = ANY (feed_accounts))
$$;--> statement-breakpoint
-- The payload that a delivery shares with its event. A function, so that statements over deliveries plan and open the
-- time ranges of events only for deliveries that have none of their own: 38 of them took a page of a backlog a third more.
CREATE FUNCTION event_payload(account uuid, delivery uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  found text;
BEGIN
  SELECT e.data INTO found FROM events e
  WHERE e.account_id = account AND e.id = (left(delivery::text, 32) || '0000')::uuid;
  RETURN found;
END
$$;--> statement-breakpoint
-- All of time; the service splits it into partitions before it accepts anything.
CREATE TABLE "events_earlier" PARTITION OF "events" FOR VALUES FROM (MINVALUE) TO (MAXVALUE) WITH (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);--> statement-breakpoint
CREATE TABLE "deliveries_earlier" PARTITION OF "deliveries" FOR VALUES FROM (MINVALUE) TO (MAXVALUE) WITH (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);--> statement-breakpoint
CREATE TABLE "results_earlier" PARTITION OF "results" FOR VALUES FROM (MINVALUE) TO (MAXVALUE) WITH (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);--> statement-breakpoint
CREATE TABLE "attempts_earlier" PARTITION OF "attempts" FOR VALUES FROM (MINVALUE) TO (MAXVALUE) WITH (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);--> statement-breakpoint
INSERT INTO "plans" VALUES ('free', 60, 1000), ('starter', 600, 50000), ('pro', 6000, 1000000), ('unlimited', NULL, NULL);--> statement-breakpoint
INSERT INTO "accounts" ("id", "name", "plan", "external_id") VALUES ('00000000-0000-7000-8000-000000000001', 'default', 'unlimited', 'default');
