import type { components } from "../../client/openapi";
import { call } from "../shared/api";
import { bytes, count, duration, plural } from "../shared/format";
import type { Look } from "../shared/look";
import { Card, Problem, Skeleton, State, Time } from "../shared/parts";
import { useResource } from "../shared/resource";
import { now } from "../shared/server-clock";
import { type Column, Table } from "../shared/table";
import { visible } from "../shared/visible-text";
import { OfOneCell } from "./cell";
import { Figure } from "./figure";
import { Page } from "./shell";
import { Kept, SystemFigures } from "./system-figures";

type Process = components["schemas"]["Process"];
type Partition = components["schemas"]["Partition"];

/** A process reports every 5 s, and is late after this long. */
const SILENT_MS = 15_000;

/** The page of processes, partitions and dependencies of a cell, for administrators. */
export function System() {
  return (
    <Page crumbs={[{ label: "System" }]}>
      <OfOneCell>
        <SystemOfCell />
      </OfOneCell>
    </Page>
  );
}

function SystemOfCell() {
  const { data, error, reload } = useResource("system", () => call("get", "/v1/admin/system", {}), {
    every: 5_000,
  });
  const unowned = data?.partitions.filter(({ owner }) => owner === null).length ?? 0;
  return (
    <>
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={8} />}
      {data && (
        <>
          <div class="lead">
            <div class="grow">
              <h1>{headline(unowned, data.dependencies.nats)}</h1>
              <p>
                {plural(data.processes.length, "process", "processes")}, version {visible(data.version)}.
              </p>
            </div>
          </div>
          <dl class="card figures">
            <Figure
              name="Postgres"
              value={duration(Math.max(1, data.dependencies.postgres_latency_ms))}
              detail={`to answer, ${visible(data.dependencies.postgres_version)}`}
            />
            <Figure
              name="NATS"
              value={data.dependencies.nats ? "up" : "away"}
              tone={data.dependencies.nats ? "" : "warn"}
              detail={data.dependencies.nats ? "deliveries are announced" : "deliveries go on, by sweeps"}
            />
            <Figure
              name="Partitions"
              value={count(data.partitions.length)}
              tone={unowned > 0 ? "bad" : ""}
              detail={unowned > 0 ? `${unowned} without a dispatcher` : "each has a dispatcher"}
            />
          </dl>
          <SystemFigures system={data} />
          <Kept system={data} />
          <Partitions partitions={data.partitions} processes={data.processes} />
          <Card title="Processes">
            <Table
              label="Processes"
              look="processes"
              columns={COLUMNS}
              items={data.processes}
              keyOf={({ id }) => id}
              heights={[56, 96]}
            />
          </Card>
        </>
      )}
    </>
  );
}

function headline(unowned: number, hasNats: boolean): string {
  if (unowned > 0)
    return `${plural(unowned, "partition has", "partitions have")} no dispatcher: their deliveries wait.`;
  return hasNats ? "All parts work." : "NATS is away: deliveries go on, a little later.";
}

function lookOfProcess({ seen_at }: Process): Look {
  const isSilent = now.value - Date.parse(seen_at) > SILENT_MS;
  return isSilent
    ? { icon: "alert", tone: "bad", word: "Silent" }
    : { icon: "check", tone: "ok", word: "Running" };
}

const ROLES = { all: "API and dispatcher", api: "API", dispatcher: "dispatcher" } as const;

const COLUMNS: readonly Column<Process>[] = [
  {
    name: "name",
    title: "Process",
    cell: ({ host, pid, role }) => (
      <span class="two">
        <span class="strong trunc">
          {visible(host)} <span class="faint num">{pid}</span>
        </span>
        <small>{ROLES[role]}</small>
      </span>
    ),
  },
  { name: "status", title: "State", cell: (process) => <State look={lookOfProcess(process)} /> },
  { name: "version", title: "Version", cell: ({ version }) => <code>{visible(version)}</code> },
  { name: "memory", title: "Memory", isRight: true, cell: ({ memory_bytes }) => bytes(memory_bytes) },
  {
    name: "work",
    title: "At work on",
    cell: ({ figures }) => {
      const words = Object.entries(figures)
        .filter(([, value]) => value > 0)
        .map(([name, value]) => `${count(value)} ${name.replaceAll("_", " ")}`);
      return <span class="dim">{visible(words.join(", ") || "nothing")}</span>;
    },
  },
  {
    name: "time",
    title: "Started",
    isRight: true,
    cell: ({ started_at }) => <Time at={started_at} seconds={false} />,
  },
];

/** Looks of cells that distinguish dispatchers. Further dispatchers share a look. */
const KINDS = 6;

/** The partitions as cells, each with the look of its dispatcher. */
function Partitions({
  partitions,
  processes,
}: {
  partitions: readonly Partition[];
  processes: readonly Process[];
}) {
  const owners = [...new Set(partitions.flatMap(({ owner }) => owner ?? []))];
  const nameOf = (owner: string) => {
    const process = processes.find(({ id }) => id === owner);
    return process ? `${process.host} ${process.pid}` : owner;
  };
  return (
    <Card title="Partitions" meta="Each is dispatched by one process; endpoints are spread over them.">
      <ol class="partitions" aria-label="Partitions">
        {partitions.map(({ partition, owner }) => (
          <li
            key={partition}
            class={owner === null ? "none" : `kind${owners.indexOf(owner) % KINDS}`}
            title={`Partition ${partition}: ${owner === null ? "no dispatcher" : nameOf(owner)}`}
          >
            {partition}
          </li>
        ))}
      </ol>
      <p class="pad legend partitions-legend">
        {owners.map((owner, index) => (
          <span key={owner}>
            <i class={`kind${index % KINDS}`} />
            {visible(nameOf(owner))}:{" "}
            {plural(partitions.filter((each) => each.owner === owner).length, "partition", "partitions")}
          </span>
        ))}
      </p>
    </Card>
  );
}
