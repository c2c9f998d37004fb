import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENTS } from "../../clients/toolchains";
import { builtInGo, PYTHON_PATH, succeeds, type Workshop } from "./workshop";

/** Where a receiver of docs/receiving/ runs. */
export type Bench = Readonly<{ folder: string; port: number; workshop: Workshop }>;

/** A receiver of docs/receiving/, in the folder of its name. */
export type WholeReceiver = Readonly<{
  name: string;
  /** Commands that run at the same time; null if something that they need is missing. */
  commands(bench: Bench): readonly (readonly string[])[] | null;
}>;

const ofNode: WholeReceiver["commands"] = ({ workshop: { node } }) =>
  node ? [[node, "receiver.mjs"]] : null;

const DJANGO_SETTINGS = `
SECRET_KEY = "of a test"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "urls"
INSTALLED_APPS = ["webhooks"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "webhooks.sqlite"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
`;
const DJANGO_URLS = `
from django.urls import path
from webhooks.views import receive
urlpatterns = [path("hooks", receive)]
`;

export const WHOLE_RECEIVERS: readonly WholeReceiver[] = [
  { name: "node", commands: ofNode },
  { name: "express", commands: ofNode },
  { name: "fastify", commands: ofNode },
  { name: "hono", commands: ofNode },
  {
    name: "nextjs",
    commands({ folder, port, workshop: { node } }) {
      const root = join(folder, "../..");
      const next = join(root, "node_modules/next/dist/bin/next");
      writeFileSync(join(folder, "next.config.mjs"), `export default { turbopack: { root: "${root}" } };`);
      const isBuilt = node !== null && succeeds([node, next, "build"], { cwd: folder });
      return isBuilt ? [[node, next, "start", "--port", String(port), "--hostname", "127.0.0.1"]] : null;
    },
  },
  { name: "python", commands: ({ workshop: { python } }) => (python ? [[python, "receiver.py"]] : null) },
  {
    name: "flask",
    commands({ port, workshop: { python } }) {
      if (python === null) return null;
      const flask = [python, "-m", "flask", "--app", "receiver"];
      return [
        [...flask, "run", "--port", String(port)],
        [...flask, "work"],
      ];
    },
  },
  {
    name: "fastapi",
    commands: ({ port, workshop: { python } }) =>
      python ? [[python, "-m", "uvicorn", "receiver:app", "--port", String(port)]] : null,
  },
  {
    name: "django",
    commands({ folder, port, workshop: { python } }) {
      writeFileSync(join(folder, "settings.py"), DJANGO_SETTINGS);
      writeFileSync(join(folder, "urls.py"), DJANGO_URLS);
      if (python === null) return null;
      const django = [python, "-m", "django"];
      const env = {
        DJANGO_SETTINGS_MODULE: "settings",
        PYTHONPATH: PYTHON_PATH,
        PYTHONDONTWRITEBYTECODE: "1",
        WEBHOOK_SECRET: "",
      };
      const isReady =
        succeeds([...django, "makemigrations", "webhooks"], { cwd: folder, env }) &&
        succeeds([...django, "migrate"], { cwd: folder, env });
      return isReady
        ? [
            [...django, "runserver", "--noreload", String(port)],
            [...django, "work"],
          ]
        : null;
    },
  },
  {
    name: "go",
    commands({ folder }) {
      const program = builtInGo(folder);
      return program ? [[program]] : null;
    },
  },
  {
    name: "spring",
    commands({ folder }) {
      if (Bun.which("mvn") === null || Bun.which("java") === null) return null;
      cpSync(join(import.meta.dir, "spring"), folder, { recursive: true });
      cpSync(join(CLIENTS, "java/src/main/java"), folder, { recursive: true });
      const isBuilt = succeeds(["mvn", "-q", "-B", "package"], { cwd: folder });
      return isBuilt ? [["java", "-jar", join(folder, "target/receiver-1.jar")]] : null;
    },
  },
];
