import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import packageJson from "../package.json";
import { parseDuration } from "../src/runtime/text/duration";
import { readConfig, SECRETS } from "../src/service/config";
import { STREAM } from "../src/stream/topology";

const ROOT = join(import.meta.dir, "..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1));

/** A process ends at most this long after its drain timeout. */
const END_MS = 4_000;
const DEFAULTS = readConfig({});
const STOP_MS = DEFAULTS.drainTimeoutMs + END_MS;

/** Every variable that the configuration reads. */
function variables(): Set<string> {
  const read = new Set<string>();
  readConfig(new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) }));
  return read;
}

test.each(filesIn("deploy"))("%s names only variables that Hermod reads", (path) => {
  const known = variables().add(STREAM);
  const named = textOf(path).match(/\bHERMOD_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [];
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

describe("the runtime", () => {
  const { bun } = packageJson.dependencies;
  const inStartScript = packageJson.scripts.start.match(/\b[A-Z][A-Za-z_]+=\S+/g) ?? [];

  test("of the images is the version of package.json", () => {
    const [, image, digest = ""] =
      /^ARG BUN_IMAGE=([^@\n]+)(@\S+)?$/m.exec(textOf("deploy/Dockerfile")) ?? [];
    expect(image).toBe(`oven/bun:${bun}-slim`);
    expect(digest).toMatch(/^(@sha256:[0-9a-f]{64})?$/);
    const bases = [...textOf("deploy/Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, base = ""]) => base);
    // Stages and the argument: no other image.
    expect(bases.filter((base) => !/^(\$\{BUN_IMAGE\}|all-packages|service)$/.test(base))).toEqual([]);
  });

  test.each(["deploy/Dockerfile", "deploy/systemd/hermod@.service"])(
    "in %s has the start script's variables",
    (path) => {
      expect(inStartScript).toHaveLength(4);
      for (const assignment of inStartScript) expect(textOf(path)).toContain(assignment);
    },
  );

  test("of the images runs as a number, not as root", () => {
    const users = [...textOf("deploy/Dockerfile").matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    expect(users).toEqual(["1000:1000", "10001:10001"]);
  });
});

describe("the version", () => {
  const { version } = packageJson;

  test.each(["src/client/package.json", "src/cli/package.json"])("of %s is that of package.json", (path) => {
    expect(JSON.parse(textOf(path)).version).toBe(version);
  });

  test.each([
    "deploy/Dockerfile",
    "deploy/compose.yaml",
    "docs/deploying.md",
    "docs/client.md",
    "docs/command-line.md",
    "docs/receiving.md",
  ])("in %s is that of package.json", (path) => {
    const named = [...textOf(path).matchAll(/\bhermod(?::|\/|-client-|-)(\d+\.\d+\.\d+)/g)].map(
      ([, found]) => found,
    );
    expect(new Set(named)).toEqual(new Set([version]));
  });
});

test("the release publishes with the runtime of package.json, and after the tests", () => {
  type Job = { needs?: string; steps: { run?: string; uses?: string }[] };
  const { jobs } = Bun.YAML.parse(textOf(".github/workflows/release.yml")) as { jobs: Record<string, Job> };
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = "" }) => run));
  for (const command of commands.filter((each) => each.includes("bun@")))
    expect(command).toContain(`bun@${packageJson.dependencies.bun} `);
  const before = (name: string): string[] => [name, ...(jobs[name]?.needs ? before(jobs[name].needs) : [])];
  for (const name of Object.keys(jobs)) expect(before(name).at(-1)).toBe("test");
});

describe("the environment of .env.example", () => {
  const example = textOf("deploy/.env.example");
  const environmentOf = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
    );

  const filled = environmentOf(
    example
      .replace("@ENCRYPTION_KEY@", Buffer.from("a key of 32 bytes for tests only").toString("base64"))
      .replaceAll(/@([A-Z_]+)@/g, "filled-in-with-random-text"),
  );

  test("starts production once its placeholders are filled in", () => {
    expect(readConfig(filled)).toMatchObject({ production: true, unknown: [] });
  });

  test("gives a dispatcher of compose no secret that only others need", () => {
    const { services } = Bun.YAML.parse(textOf("deploy/compose.yaml")) as Compose;
    const secret = "random-text-that-only-the-api-needs";
    const given: Record<string, string> = {
      ...filled,
      HERMOD_ADMIN_KEY: secret,
      HERMOD_JWT_SECRET: secret,
      HERMOD_JWT_ISSUER: "us",
      HERMOD_OIDC_ISSUER: "https://id.example.com",
      HERMOD_OIDC_CLIENT_ID: "hermod",
      HERMOD_OIDC_CLIENT_SECRET: secret,
    };
    expect(readConfig(given)).toMatchObject({ adminKey: secret, jwt: {}, oidc: {} });
    const ofDispatcher = { ...given, ...services.dispatcher?.environment };
    expect(readConfig(ofDispatcher, "dispatcher")).toMatchObject({ adminKey: null, jwt: null, oidc: null });
    const ofServers = Object.keys(filled).filter((name) => name.endsWith("_PASSWORD"));
    expect(ofServers).toHaveLength(3);
    for (const { environment, image } of Object.values(services)) {
      if (image !== `hermod:${packageJson.version}`) continue;
      for (const name of ofServers) expect([name, environment?.[name]]).toEqual([name, ""]);
    }
  });

  test("is refused with the placeholders", () => {
    expect(() => readConfig(environmentOf(example))).toThrow(/HERMOD_ADMIN_KEY .*\n?.*HERMOD_ENCRYPTION_KEY/);
  });

  test("gets its placeholders filled in by the documented command", () => {
    const placeholders = new Set([...example.matchAll(/@[A-Z_]+@/g)].map(([found]) => found));
    const documented = new Set(
      [...textOf("docs/deploying.md").matchAll(/@[A-Z_]+@/g)].map(([found]) => found),
    );
    expect(documented).toEqual(placeholders);
  });
});

type Compose = { services: Record<string, ComposeService> };
type ComposeService = {
  image: string;
  stop_grace_period?: string;
  mem_limit?: string;
  command?: string | string[];
  logging?: { options: Record<string, string> };
  environment?: Record<string, string>;
};

/** Reads `1Gi` as Kubernetes writes it, or `1g` as compose does. */
function bytesOf(size = ""): number {
  const [, count, unit = ""] = /^(\d+)([mMgG])i?$/.exec(size) ?? [];
  return Number(count) * (unit.toLowerCase() === "g" ? 1_024 ** 3 : 1_024 ** 2);
}

const COMPOSE = ["deploy/compose.yaml", "deploy/compose.observability.yaml"];
const servicesOf = (path: string) => Object.values((Bun.YAML.parse(textOf(path)) as Compose).services);

describe.each(COMPOSE)("%s", (path) => {
  test("pins the images of others by digest", () => {
    const images = servicesOf(path).map(({ image }) => image);
    const others = images.filter((image) => image !== `hermod:${packageJson.version}`);
    expect(others.length).toBeGreaterThan(1);
    for (const image of others) expect(image).toMatch(/:v?\d+(\.\d+)+(-alpine)?@sha256:[0-9a-f]{64}$/);
  });

  test("limits each container's memory and log", () => {
    for (const { image, mem_limit, logging } of servicesOf(path)) {
      expect({ image, bytes: bytesOf(mem_limit) }).toEqual({ image, bytes: expect.any(Number) });
      expect(bytesOf(mem_limit)).toBeGreaterThan(0);
      expect(logging?.options).toEqual({ "max-size": "20m", "max-file": "5" });
    }
  });

  test("has no secret in a command line", () => {
    for (const { command = [] } of servicesOf(path))
      expect([command].flat().join(" ")).not.toMatch(/PASSWORD|pass=/i);
  });
});

test("every action of a workflow is a commit, with its version beside it", () => {
  for (const path of filesIn(".github/workflows")) {
    const uses = [...textOf(path).matchAll(/uses: (.+)$/gm)].map(([, used = ""]) => used);
    expect(uses.length).toBeGreaterThan(2);
    for (const used of uses)
      expect({ path, used }).toEqual({
        path,
        used: expect.stringMatching(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/),
      });
  }
});

test("digests and commits are kept up to date, for images and actions", () => {
  const config = JSON.parse(textOf(".github/renovate.json"));
  expect(config.extends).toEqual(
    expect.arrayContaining(["docker:pinDigests", "helpers:pinGitHubActionDigests"]),
  );
  expect(config.enabledManagers).toEqual(["dockerfile", "docker-compose", "github-actions"]);
});

describe("the time to stop is longer than a drain", () => {
  test("with compose", () => {
    const { services } = Bun.YAML.parse(textOf("deploy/compose.yaml")) as Compose;
    const ours = Object.values(services).filter(({ image }) => image === `hermod:${packageJson.version}`);
    expect(ours).toHaveLength(2);
    for (const each of ours) expect(parseDuration(each.stop_grace_period ?? "")).toBeGreaterThan(STOP_MS);
  });

  test("with systemd", () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(textOf("deploy/systemd/hermod@.service")) ?? [];
    expect(Number(seconds) * 1_000).toBeGreaterThan(STOP_MS);
  });

  test("with Kubernetes, including the pause before it", () => {
    const helpers = textOf("deploy/helm/hermod/templates/_helpers.tpl");
    const [, extra] = /terminationGracePeriodSeconds: .*drainTimeoutSeconds\) (\d+)/.exec(helpers) ?? [];
    const [, pause] = /command: \[sleep, "(\d+)"\]/.exec(helpers) ?? [];
    expect((Number(extra) - Number(pause)) * 1_000).toBeGreaterThan(END_MS);
  });
});

describe("the chart", () => {
  type Values = { drainTimeoutSeconds: number; secretVariables: string[]; config: Record<string, unknown> };
  const chart = Bun.YAML.parse(textOf("deploy/helm/hermod/Chart.yaml")) as Record<string, string>;
  const values = Bun.YAML.parse(textOf("deploy/helm/hermod/values.yaml")) as Values;
  const schema = JSON.parse(textOf("deploy/helm/hermod/values.schema.json"));
  const validate = new Ajv({ strict: false }).compile(schema);

  test("has the version of package.json", () => {
    expect([chart.version, chart.appVersion]).toEqual([packageJson.version, packageJson.version]);
  });

  test("has Hermod's own drain timeout", () => {
    expect(values.drainTimeoutSeconds * 1_000).toBe(DEFAULTS.drainTimeoutMs);
  });

  test("has its own values, and secrets only from the Secret", () => {
    expect({ valid: validate(values), errors: validate.errors }).toEqual({ valid: true, errors: null });
    expect(schema.properties.secretVariables.items.enum.toSorted()).toEqual(SECRETS.toSorted());
    const refused: Record<string, unknown>[] = [
      ...SECRETS.map((name) => ({ config: { [name]: "a secret" } })),
      { config: { HERMOD_RETENTION: 30 } },
      { config: { HERMOD_DRAIN_TIMEOUT: "1m" } },
      { secretVariables: ["DATABASE_URL"] },
      { existingSecret: "" },
      { replicas: 3 },
    ];
    for (const each of refused)
      expect({ each, valid: validate({ ...values, ...each }) }).toEqual({ each, valid: false });
    const secret = (name: string) => SECRETS.some((each) => name === each || name === `${each}_FILE`);
    const own = ["HERMOD_DRAIN_TIMEOUT", "HERMOD_METRICS_PORT", "HERMOD_METRICS_HOST"];
    const open = [...variables()].filter((name) => /^(HERMOD|OTEL)_/.test(name) && !secret(name));
    const config = Object.fromEntries(
      open.filter((name) => !own.includes(name)).map((name) => [name, "text"]),
    );
    expect({ valid: validate({ ...values, config }), errors: validate.errors }).toEqual({
      valid: true,
      errors: null,
    });
  });

  test("defines every `.Values` of its templates", () => {
    const used = filesIn("deploy/helm/hermod/templates").flatMap((path) =>
      [...textOf(path).matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, name = ""]) => name),
    );
    expect(used.length).toBeGreaterThan(10);
    const valueAt = (name: string) =>
      name
        .split(".")
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values);
    expect(used.filter((name) => valueAt(name) === undefined)).toEqual([]);
  });
});

describe("the alerts and the dashboard", () => {
  type Limited = { resources: { limits: { memory: string } } };
  type Alert = {
    alert: string;
    expr: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
  };
  type Rules = { groups: { rules: Alert[] }[] };
  type Dashboard = {
    templating: { list: { name: string; query: string }[] };
    panels: { type: string; title: string; targets?: { expr: string }[] }[];
  };
  const rules = (Bun.YAML.parse(textOf("deploy/prometheus/rules.yaml")) as Rules).groups.flatMap(
    (group) => group.rules,
  );
  const dashboard = JSON.parse(textOf("deploy/grafana/hermod.json")) as Dashboard;
  const graphs = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ of: title, expr })),
  );
  const queries = [...rules.map(({ alert, expr }) => ({ of: alert, expr })), ...graphs];

  const PROMETHEUS_ADDS = ["namespace", "job", "instance"];

  /** The metrics of docs/metrics.md with their labels. Another test holds that page against the code. */
  const metrics = new Map<string, string[]>();
  for (const [, name = "", labels, type] of textOf("docs/metrics.md").matchAll(
    /^\| `([a-z_]+)(?:\{([a-z_,]+)\})?` \| (\w+)/gm,
  )) {
    const of = [...PROMETHEUS_ADDS, ...(labels?.split(",") ?? [])];
    metrics.set(name, of);
    if (type === "histogram")
      for (const part of ["bucket", "sum", "count"]) metrics.set(`${name}_${part}`, [...of, "le"]);
  }

  test("are read by these tests", () => {
    expect(rules.length).toBeGreaterThan(15);
    expect(queries.length).toBeGreaterThan(rules.length + 20);
    expect(metrics.size).toBeGreaterThan(25);
  });

  test.each(queries)("$of: $expr has metrics and labels that exist", ({ expr }) => {
    const names = expr.match(/\b(hermod|process)_[a-z_]+/g) ?? [];
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !metrics.has(name))).toEqual([]);
    for (const [, name = "", matchers = ""] of expr.matchAll(/\b([a-z_]+)\{([^}]*)\}/g)) {
      const labels = [...matchers.matchAll(/([a-z_]+)(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label);
      expect({ name, labels: metrics.get(name) }).toEqual({ name, labels: expect.arrayContaining(labels) });
    }
  });

  test.each(rules)("$alert keeps installations apart", ({ expr }) => {
    // An aggregation or a match without them would mix two installations in one Prometheus.
    const groups = [...expr.matchAll(/\b(?:sum|min|max|count|group|avg)\b(?: by \(([^)]*)\))?/g)];
    for (const [whole, by = ""] of groups)
      expect({ whole, by: by.split(", ") }).toEqual({
        whole,
        by: expect.arrayContaining(["namespace", "job"]),
      });
    const matches = [...expr.matchAll(/\bon \(([^)]*)\)/g)];
    for (const [whole, on = ""] of matches)
      expect({ whole, on: on.split(", ") }).toEqual({
        whole,
        on: expect.arrayContaining(["namespace", "job"]),
      });
  });

  const SELECTED = 'namespace="$namespace", job="$job"';

  test("the dashboard offers the installations of its Prometheus", () => {
    const queries = new Map(dashboard.templating.list.map(({ name, query }) => [name, query]));
    expect(queries.get("namespace")).toBe("label_values(hermod_build_info, namespace)");
    expect(queries.get("job")).toBe('label_values(hermod_build_info{namespace="$namespace"}, job)');
  });

  test.each(graphs)("$of: $expr shows one installation", ({ expr }) => {
    const selectors = [...expr.matchAll(/\b((?:hermod|process)_[a-z_]+)(?:\{([^}]*)\})?/g)];
    for (const [, name = "", matchers = ""] of selectors)
      expect({ name, matchers }).toEqual({ name, matchers: expect.stringContaining(SELECTED) });
  });

  const cases = filesIn("deploy/prometheus/tests").map(textOf).join("\n");
  test.each(rules)("$alert has a case for promtool", ({ alert }) => {
    expect(cases).toContain(`alertname="${alert}"`);
  });

  test("warn of memory below the limits of the recipes", () => {
    const [, alerted] =
      /> (\S+) and/.exec(rules.find(({ alert }) => alert === "HermodMemoryHigh")?.expr ?? "") ?? [];
    const values = Bun.YAML.parse(textOf("deploy/helm/hermod/values.yaml")) as Record<string, Limited>;
    const { services } = Bun.YAML.parse(textOf("deploy/compose.yaml")) as Compose;
    const limits = [
      values.api?.resources.limits.memory,
      values.dispatcher?.resources.limits.memory,
      values.router?.resources.limits.memory,
      services.hermod?.mem_limit,
      services.dispatcher?.mem_limit,
    ];
    for (const limit of limits) expect(Number(alerted)).toBeLessThan(0.9 * bytesOf(limit));
  });

  test.each(rules)("the runbook of $alert says whether it can wait until morning", ({ alert, labels }) => {
    const section = textOf("docs/runbooks.md").split(`### ${alert}\n`)[1]?.trimStart() ?? "";
    expect(section).toStartWith(labels.severity === "critical" ? "Until morning: no" : "Until morning: yes");
  });

  test("have a runbook each, and every runbook an alert", () => {
    const headings = [...textOf("docs/runbooks.md").matchAll(/^### (.+)$/gm)].map(
      ([, heading = ""]) => heading,
    );
    expect(rules.map(({ alert }) => alert).toSorted()).toEqual(headings.toSorted());
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
    }
  });
});
