import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CERTIFICATE, KEY } from "../attempt/certificates";

/** Where a receiver runs: its port, how long it keeps idle connections, and a folder of its own. */
export type Place = Readonly<{ port: number; keepAliveMs: number; folder: string }>;

/** A server that somebody may receive webhooks with. */
export type Runtime = Readonly<{
  name: string;
  /** The command that starts it; null if something that it needs is missing. */
  command(place: Place): readonly string[] | null;
  /** Whether its receiver can answer before it has read the body. */
  canAnswerEarly: boolean;
  /** Whether it speaks TLS, with the tests' certificate for hook.test. */
  isSecure?: true;
}>;

const here = (file: string) => join(import.meta.dir, file);

/** A receiver of ours, which takes a port and how long it keeps idle connections, milliseconds. */
function ours(program: string, ...rest: readonly string[]): Runtime["command"] {
  return ({ port, keepAliveMs }) =>
    Bun.which(program) === null ? null : [program, ...rest, String(port), String(keepAliveMs)];
}

/** A server of a package of Python's. `python`: has the packages of requirements.txt; null where they could not be installed. */
function packaged(
  python: string | null,
  module: string,
  options: (port: number, keepAliveS: string) => readonly string[],
): Runtime["command"] {
  return ({ port, keepAliveMs }) =>
    python === null ? null : [python, "-m", module, ...options(port, String(keepAliveMs / 1_000))];
}

/** nginx before an application, which is nginx again: it has read the whole body when it logs its length. */
function nginx({ port, keepAliveMs, folder }: Place, isSecure = false): readonly string[] | null {
  if (Bun.which("nginx") === null) return null;
  const [certificate, key] = certificateIn(folder);
  const tls = isSecure ? `ssl_certificate ${certificate}; ssl_certificate_key ${key};` : "";
  const path = join(folder, "nginx.conf");
  writeFileSync(
    path,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
    events { worker_connections 1024; }
    http {
      access_log off; client_max_body_size 2m;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      server {
        listen 127.0.0.1:${port} ${isSecure ? "ssl" : ""}; ${tls}
        keepalive_timeout ${keepAliveMs}ms; location / { proxy_pass http://unix:${folder}/app; }
      }
      log_format length $content_length;
      server { listen unix:${folder}/app; access_log /dev/stdout length; return 200 ok; }
    }`,
  );
  // nginx opens /dev/stdout by its name, which works for a pipe, and not for the socket that is there.
  return ["bash", "-c", 'exec nginx -e stderr -c "$0" > >(cat)', path];
}

/** Writes certificate and key into files. */
function certificateIn(folder: string): readonly [certificate: string, key: string] {
  const files = [join(folder, "certificate.pem"), join(folder, "key.pem")] as const;
  writeFileSync(files[0], CERTIFICATE);
  writeFileSync(files[1], KEY);
  return files;
}

/** Compiled first: `go run` leaves its program behind when it is ended. */
function go(file: string, isSecure = false): Runtime["command"] {
  return ({ port, keepAliveMs, folder }) => {
    if (Bun.which("go") === null) return null;
    const program = join(folder, "receiver");
    const { success } = Bun.spawnSync(["go", "build", "-o", program, file], { stderr: "inherit" });
    const rest = isSecure ? certificateIn(folder) : [];
    return success ? [program, String(port), String(keepAliveMs), ...rest] : null;
  };
}

/** Receives through the proxies. */
export const GO: Runtime = { name: "Go net/http", command: go(here("receiver.go")), canAnswerEarly: true };

export function runtimes(python: string | null): readonly Runtime[] {
  return [
    { name: "Node", command: ours("node", here("receiver.mjs")), canAnswerEarly: true },
    { name: "Node, silent", command: ours("node", here("receiver.mjs"), "silent"), canAnswerEarly: true },
    { name: "Python http.server", command: ours("python3", here("receiver.py")), canAnswerEarly: true },
    {
      name: "uvicorn",
      command: packaged(python, "uvicorn", (port, keepAliveS) => [
        ...["--app-dir", import.meta.dir, "--port", String(port), "--timeout-keep-alive", keepAliveS],
        ...["--no-access-log", "--log-level", "error", "asgi_application:receive"],
      ]),
      canAnswerEarly: true,
    },
    {
      name: "gunicorn, Flask",
      command: packaged(python, "gunicorn", (port, keepAliveS) => [
        ...["--chdir", import.meta.dir, "--bind", `127.0.0.1:${port}`, "--keep-alive", keepAliveS],
        ...["--threads", "64", "--log-level", "error", "flask_application:application"],
      ]),
      canAnswerEarly: false,
    },
    GO,
    {
      name: "Go net/http over TLS",
      command: go(here("receiver.go"), true),
      canAnswerEarly: true,
      isSecure: true,
    },
    { name: "Java HttpServer", command: ours("java", here("Receiver.java")), canAnswerEarly: true },
    { name: "nginx", command: (place) => nginx(place), canAnswerEarly: false },
    {
      name: "nginx over TLS",
      command: (place) => nginx(place, true),
      canAnswerEarly: false,
      isSecure: true,
    },
  ];
}
