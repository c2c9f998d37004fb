import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answer } from "../api/answer";
import type { Readiness } from "../api/dependencies";
import type { Guard } from "../api/guard";
import { formatInstant, formatMaybe } from "../api/lists/instant";
import { operation } from "../api/openapi/operation";
import { named, nullable, timestamp, words } from "../api/openapi/schema";
import type { ApiSettings } from "../api/settings";
import type { Installation, KnownProcess } from "../installation/processes";
import type { Storage } from "../retention/storage";
import { VERSION } from "../runtime/version";

const ProcessModel = named(
  "Process",
  Type.Object({
    id: Type.String(),
    role: words("ProcessRole", ["all", "api", "dispatcher"]),
    version: Type.String(),
    host: Type.String(),
    pid: Type.Integer(),
    started_at: timestamp(),
    seen_at: timestamp(
      "When it last reported, which it does every 5 s. It disappears a minute after its last report.",
    ),
    memory_bytes: Type.Integer(),
    cpu_seconds: Type.Number({ description: "CPU time used since it started." }),
    figures: Type.Record(Type.String(), Type.Number(), {
      description:
        "Its work at that moment, such as attempts under way and outcomes that wait to be recorded.",
    }),
  }),
);

const PartitionModel = named(
  "Partition",
  Type.Object({
    partition: Type.Integer(),
    owner: nullable(
      Type.String({ description: "The id of the process that dispatches for it; null if there is none." }),
    ),
  }),
);

const DependenciesModel = named(
  "Dependencies",
  Type.Object({
    postgres_version: Type.String(),
    postgres_latency_ms: Type.Integer({
      description: "How long it took to answer this request's statement.",
    }),
    nats: Type.Boolean({ description: "Whether NATS answers this process." }),
  }),
);

const StorageModel = named(
  "Storage",
  Type.Object({
    bytes: Type.Integer({ description: "The disk of all tables with their indexes." }),
    oldest_range_at: nullable(
      timestamp("The beginning of the oldest time range of deliveries that is kept; null before the first."),
    ),
    oldest_transaction_ms: Type.Integer({
      description:
        "The age of the oldest open transaction in the database, which keeps Postgres from reusing space.",
    }),
  }),
);

const RetentionModel = named(
  "Retention",
  Type.Object({
    deliveries_ms: Type.Integer({ description: "How long ended deliveries are kept: HERMOD_RETENTION." }),
    audit_ms: Type.Integer({ description: "How long changes are kept: HERMOD_AUDIT_RETENTION." }),
  }),
);

const SystemModel = named(
  "System",
  Type.Object({
    version: Type.String({ description: "The version of the process that answers." }),
    processes: Type.Array(ProcessModel),
    partitions: Type.Array(PartitionModel),
    dependencies: DependenciesModel,
    storage: StorageModel,
    retention: RetentionModel,
  }),
);
type SystemView = Static<typeof SystemModel>;

const EXAMPLE = {
  version: VERSION,
  processes: [
    {
      id: "0198f3a2-5b7c-4d1e-9f00-3c2a1b4d5e6f",
      role: "all",
      version: VERSION,
      host: "hermod-0",
      pid: 1,
      started_at: "2026-01-31T09:00:00.000Z",
      seen_at: "2026-01-31T12:00:00.000Z",
      memory_bytes: 178_257_920,
      cpu_seconds: 812.5,
      figures: { attempts_under_way: 3, attempts_waiting: 0, outcomes_waiting: 0, sends_waiting: 0 },
    },
  ],
  partitions: [{ partition: 0, owner: "0198f3a2-5b7c-4d1e-9f00-3c2a1b4d5e6f" }],
  dependencies: { postgres_version: "18.4", postgres_latency_ms: 2, nats: true },
  storage: { bytes: 5_368_709_120, oldest_range_at: "2026-01-01T00:00:00.000Z", oldest_transaction_ms: 0 },
  retention: { deliveries_ms: 2_592_000_000, audit_ms: 31_536_000_000 },
} satisfies SystemView;

export type SystemOptions = {
  installation: Installation;
  storage(): Promise<Storage>;
  readiness(): Promise<Readiness>;
  config: Pick<ApiSettings, "retentionMs" | "auditRetentionMs">;
};

/** /admin/system */
export function systemRoute(guard: Guard, options: SystemOptions) {
  return new Elysia().use(guard).get(
    "/admin/system",
    async ({ call }) => answer(call.allowance, 200, await viewOf(options)),
    operation({
      id: "getSystem",
      permission: "admin",
      cells: "one",
      tag: "Administration",
      summary: "Show the processes and partitions of the installation",
      success: {
        status: 200,
        description: "The processes that reported in the last minute, and the owner of each partition.",
        schema: SystemModel,
        example: EXAMPLE,
      },
    }),
  );
}

async function viewOf({ installation, storage, readiness, config }: SystemOptions): Promise<SystemView> {
  const [{ processes, partitions, postgres, latencyMs }, stored, { nats }] = await Promise.all([
    installation.read(),
    storage(),
    readiness(),
  ]);
  return {
    version: VERSION,
    processes: processes.map(viewOfProcess),
    partitions: [...partitions],
    dependencies: { postgres_version: postgres, postgres_latency_ms: latencyMs, nats },
    storage: {
      bytes: stored.bytes,
      oldest_range_at: formatMaybe(stored.oldestRange),
      oldest_transaction_ms: Math.round(stored.oldestTransactionMs),
    },
    retention: { deliveries_ms: config.retentionMs, audit_ms: config.auditRetentionMs },
  };
}

function viewOfProcess(process: KnownProcess): SystemView["processes"][number] {
  const { id, version, host, pid, cpuSeconds, figures } = process;
  return {
    id,
    role: process.role as SystemView["processes"][number]["role"],
    version,
    host,
    pid,
    started_at: formatInstant(process.startedAt),
    seen_at: formatInstant(process.seenAt),
    memory_bytes: process.memoryBytes,
    cpu_seconds: cpuSeconds,
    figures: { ...figures },
  };
}
