import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isTask, readConfig } from "../src/service/config";
import { makeFolder } from "./embedded/folder";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "..");

/** Declares a test that needs a program. Without the program the test is skipped, and its name says so. */
function testWith(program: string, name: string, check: () => Promise<void>): void {
  if (Bun.which(program) === null) test.skip(`${name} (${program} is not installed)`, check);
  else test(name, check);
}

async function run(
  command: string[],
  env: Record<string, string | undefined> = process.env,
): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(command, { cwd: ROOT, env, stdout: "pipe", stderr: "pipe" });
  const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  const [out = "", err = ""] = await Promise.all(texts);
  return { code: await child.exited, output: out + err };
}

const success = { code: 0, output: expect.stringContaining("SUCCESS") };

describe("Prometheus", () => {
  testWith("promtool", "takes its configuration and the rules", async () => {
    expect(await run(["promtool", "check", "config", "deploy/prometheus/prometheus.yaml"])).toEqual(success);
  });

  for (const file of readdirSync(join(ROOT, "deploy/prometheus/tests")))
    testWith("promtool", `alerts as ${file} expects`, async () => {
      expect(await run(["promtool", "test", "rules", `deploy/prometheus/tests/${file}`])).toEqual(success);
    });
});

describe("systemd", () => {
  for (const role of ["all", "api", "dispatcher", "router"])
    testWith("systemd-analyze", `takes the unit hermod@${role}`, async () => {
      await using folder = await makeFolder(0o755);
      cpSync(join(ROOT, "deploy/systemd"), folder.path, { recursive: true });
      // A program that exists on this machine, in place of the one that must exist on the other.
      const template = join(folder.path, "hermod@.service");
      await Bun.write(
        template,
        (await Bun.file(template).text()).replace("/usr/local/bin/bun", process.execPath),
      );
      const env = { ...process.env, SYSTEMD_UNIT_PATH: `${folder.path}:` };
      const { code, output } = await run(
        ["systemd-analyze", "verify", "--man=no", `hermod@${role}.service`],
        env,
      );
      // Other units of the machine may have faults of their own.
      const ours = output.split("\n").filter((line) => line.includes("hermod"));
      expect({ code, ours }).toEqual({ code: 0, ours: [] });
    });
});

describe("Helm", () => {
  const CHART = "deploy/helm/hermod";
  const VERSION = ["--kube-version", "1.31.0"];
  /** Everything on, as JSON for `--set-json`. */
  const ALL = [
    "serviceMonitor.enabled=true",
    'prometheusRule={"enabled":true,"runbooks":"https://wiki.example.com/"}',
    "dashboard.enabled=true",
    'networkPolicy.metricsFrom=[{"podSelector":{}}]',
    'ingress={"enabled":true,"hosts":["hooks.example.com"]}',
    'httpRoute={"enabled":true,"parentRefs":[{"name":"gateway"}],"hostnames":["hooks.example.com"]}',
    'extraEnv=[{"name":"NODE_EXTRA_CA_CERTS","value":"/etc/ca/ca.pem"}]',
    'extraVolumes=[{"name":"ca","configMap":{"name":"ca"}}]',
    'extraVolumeMounts=[{"name":"ca","mountPath":"/etc/ca"}]',
  ].flatMap((each) => ["--set-json", each]);

  type Variable = { name: string; value: string };
  type PodTemplate = { template: { spec: { containers: [{ args: string[]; env: Variable[] }] } } };
  /** Values of the Secret, in place of their files. */
  const SECRET: Readonly<Record<string, string>> = {
    DATABASE_URL: "postgres://postgres/hermod",
    NATS_URL: "nats://nats",
    HERMOD_CELLS_NATS_URL: "nats://directory",
    HERMOD_ENCRYPTION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64"),
    HERMOD_ADMIN_KEY: crypto.randomUUID(),
  };
  const given = ({ name, value }: Variable): [string, string] => {
    const secret = name.replace(/_FILE$/, "");
    return secret === name ? [name, value] : [secret, SECRET[secret] ?? ""];
  };

  type Object = { kind: string; spec?: Record<string, unknown>; data?: Record<string, string> };
  async function render(...options: string[]): Promise<{ text: string; objects: Object[] }> {
    const child = Bun.spawn(["helm", "template", "hermod", CHART, ...VERSION, ...options], {
      cwd: ROOT,
      stdout: "pipe",
      stderr: "ignore",
    });
    const text = await new Response(child.stdout).text();
    return { text, objects: [Bun.YAML.parse(text)].flat().filter(Boolean) as Object[] };
  }

  testWith("helm", "finds no fault in the chart", async () => {
    const { code, output } = await run(["helm", "lint", "--strict", CHART, ...VERSION]);
    expect({ code, output }).toMatchObject({ code: 0 });
  });

  testWith(
    "helm",
    "lets nobody read the metrics by default, and only the named peers otherwise",
    async () => {
      const ingressOf = ({ objects }: { objects: Object[] }) =>
        objects.find(({ kind }) => kind === "NetworkPolicy")?.spec?.ingress;
      expect(ingressOf(await render())).toEqual([{ ports: [{ port: "http" }] }]);
      expect(ingressOf(await render(...ALL))).toEqual([
        { ports: [{ port: "http" }] },
        { ports: [{ port: "metrics" }], from: [{ podSelector: {} }] },
      ]);
      const { code, output } = await run([
        "helm",
        "template",
        CHART,
        ...VERSION,
        "--set",
        "serviceMonitor.enabled=true",
      ]);
      expect(code).toBe(1);
      expect(output).toContain("serviceMonitor needs networkPolicy.metricsFrom");
    },
  );

  testWith("helm", "routes the path of the address that browsers use, or every path", async () => {
    const pathsWith = async (url: string) => {
      const { objects } = await render(...ALL, "--set", `config.HERMOD_PUBLIC_URL=${url}`);
      return objects
        .filter(({ kind }) => kind === "Ingress" || kind === "HTTPRoute")
        .map(({ spec }) => /"(?:path|value)":"(\/[^"]*)"/.exec(JSON.stringify(spec))?.[1]);
    };
    expect(await pathsWith("https://example.com/hermod")).toEqual(["/hermod", "/hermod"]);
    expect(await pathsWith("https://example.com/a/b/")).toEqual(["/a/b", "/a/b"]);
    for (const url of ["https://hooks.example.com", "https://hooks.example.com/", ""])
      expect(await pathsWith(url)).toEqual(["/", "/"]);
  });

  const CELLS = "HERMOD_CELLS=eu-1=https://eu-1.example.com\\,us-1=https://us-1.example.com";
  const ROUTER = ["--set", "router.enabled=true", "--set-string", `config.${CELLS}`];

  testWith("helm", "runs a router in place of a cell, which other pods of the cluster may be", async () => {
    const { objects } = await render(...ROUTER, "--set", "router.autoscaling.enabled=true");
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(
      [
        ...["Deployment", "HorizontalPodAutoscaler", "NetworkPolicy", "PodDisruptionBudget"],
        ...["Service", "Service", "ServiceAccount"],
      ].toSorted(),
    );
    const [service, policy] = ["Service", "NetworkPolicy"].map((kind) =>
      objects.find((each) => each.kind === kind),
    );
    expect(service?.spec?.selector).toMatchObject({ "app.kubernetes.io/component": "router" });
    expect(JSON.stringify(policy?.spec?.egress)).toContain('"app.kubernetes.io/component":"api"');
    expect(JSON.stringify((await render()).objects)).not.toContain("router");
  });

  testWith("helm", "gives each role an environment with which it starts", async () => {
    const cell = [
      ...[
        "--set-json",
        'secretVariables=["DATABASE_URL","NATS_URL","HERMOD_ENCRYPTION_KEY","HERMOD_ADMIN_KEY","HERMOD_CELLS_NATS_URL"]',
      ],
      ...["--set-string", `config.${CELLS}`, "--set-string", "config.HERMOD_CELL=eu-1"],
      ...["--set-string", "config.HERMOD_PUBLIC_URL=https://hooks.example.com"],
    ];
    const rendered = [...(await render(...cell)).objects, ...(await render(...ROUTER)).objects];
    const pods = rendered.flatMap(({ kind, spec }) => (kind === "Deployment" ? [spec as PodTemplate] : []));
    const roles = pods.map(({ template }) => {
      const [{ args, env }] = template.spec.containers;
      const role = args[0] ?? "";
      const config = isTask(role) && readConfig(Object.fromEntries(env.map(given)), role);
      expect({ role, config }).toMatchObject({
        config: { unknown: [], metricsPort: 9_464, production: true },
      });
      return role;
    });
    expect(roles.toSorted()).toEqual(["api", "dispatcher", "router"]);
  });

  testWith(
    "helm",
    "renders the rules and the dashboard of deploy/, a route, and what is mounted beside",
    async () => {
      const { text, objects } = await render(...ALL);
      const kinds = new Set(objects.map(({ kind }) => kind));
      for (const kind of ["PrometheusRule", "ServiceMonitor", "Ingress", "HTTPRoute", "ServiceAccount"])
        expect(kinds).toContain(kind);
      const rules = await Bun.file(join(ROOT, "deploy/prometheus/rules.yaml")).text();
      const prefixed = rules.replaceAll("runbook_url: ", "runbook_url: https://wiki.example.com/");
      const { spec } = objects.find(({ kind }) => kind === "PrometheusRule") ?? {};
      expect(spec).toEqual(Bun.YAML.parse(prefixed) as Record<string, unknown>);
      const { data } = objects.find(({ kind }) => kind === "ConfigMap") ?? {};
      const dashboard = await Bun.file(join(ROOT, "deploy/grafana/hermod.json")).text();
      expect(JSON.parse(data?.["hermod.json"] ?? "")).toEqual(JSON.parse(dashboard));
      // Two deployments and the migration.
      const count = (part: string) => text.split(part).length - 1;
      expect([count("mountPath: /etc/ca"), count("value: /etc/ca/ca.pem")]).toEqual([3, 3]);
      expect([count("serviceAccountName: hermod"), count("checksum/secret: ")]).toEqual([2, 2]);
    },
  );
});
