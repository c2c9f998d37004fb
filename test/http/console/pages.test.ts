import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBundle } from "../../../src/api/console/build";
import { type Bundle, loadBundle, readBundle } from "../../../src/api/console/bundle";
import { writeBundle } from "../../../src/api/console/write";
import { startTestService, useService } from "../service";

const KIB = 1_024;
/** Compressed sizes that the first screen may have. */
const BUDGET = { console: 200 * KIB, portal: 70 * KIB, element: 3 * KIB };

const [service, bundle] = await Promise.all([useService(), loadBundle()]);

const page = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });

describe.each(["/console", "/console/deliveries/wh_x?tab=payload", "/portal", "/portal/endpoints"])(
  "%s",
  (path) => {
    test("has a policy that forbids inline scripts, other origins and framing", async () => {
      const { status, headers } = await page(path);
      expect(status).toBe(200);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy.split("; ")).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    });

    test("names only existing files, and is requested anew each time", async () => {
      const answer = await page(path);
      expect(answer.headers.get("cache-control")).toBe("no-cache");
      const html = await answer.text();
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
      const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = ""]) => name);
      expect(files.length).toBeGreaterThanOrEqual(3);
      for (const file of files) {
        const { status, headers } = await page(file);
        expect({ file, status }).toEqual({ file, status: 200 });
        expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
      }
      const again = await page(path, { "if-none-match": answer.headers.get("etag") ?? "" });
      expect(again.status).toBe(304);
    });

    test("has the theme that its cookie names, and no other text from a cookie", async () => {
      const html = async (cookie: string) => (await page(path, { cookie })).text();
      expect(await html("a=b; hermod-theme=dark")).toContain('<html lang="en" data-theme="dark">');
      expect(await html("hermod-theme=light")).toContain('data-theme="light"');
      for (const cookie of ['hermod-theme="><script>', "hermod-theme=darker", "x-hermod-theme=dark"])
        expect(await html(cookie)).toContain('<html lang="en">');
    });
  },
);

test("an unknown file is a 404, and so is a path out of the folder", async () => {
  for (const name of ["x.js", "..%2F..%2Fpackage.json", "manifest.json"])
    expect((await page(`/console/assets/${name}`)).status).toBe(404);
});

test("the portal may be framed by the configured origins, the console by none", async () => {
  const config = {
    ...service.dependencies.config,
    portalOrigins: ["https://app.example.com", "https://b.example"],
  };
  const framed = await startTestService({ beside: service, dependencies: { config } });
  const policyOf = async (path: string) =>
    (await fetch(framed.url + path)).headers.get("content-security-policy");
  expect(await policyOf("/portal")).toContain("frame-ancestors https://app.example.com https://b.example;");
  expect(await policyOf("/console")).toContain("frame-ancestors 'none'");
  await framed.stop();
});

test("each can be switched off", async () => {
  const config = { ...service.dependencies.config, console: false, portal: false };
  const off = await startTestService({ beside: service, dependencies: { config } });
  for (const path of ["/console", "/console/deliveries", "/portal", "/portal/element.js"])
    expect((await fetch(off.url + path)).status).toBe(404);
  await off.stop();
});

test("packages and images contain what the sources build", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermod-console-"));
  await writeBundle(folder);
  const written = await readBundle(folder);
  rmSync(folder, { recursive: true });
  expect(written.entries).toEqual(bundle.entries);
  expect([...written.files.keys()].toSorted()).toEqual([...bundle.files.keys()].toSorted());
  for (const [name, bytes] of bundle.files) expect(written.files.get(name)).toEqual(bytes);
});

describe("the first screen is small", () => {
  const sizeOf = (names: readonly string[], files: Bundle["files"]) =>
    names.reduce((sum, name) => sum + Bun.gzipSync(files.get(name) ?? new Uint8Array()).length, 0);

  test.each(["console", "portal"] as const)("%s", async (name) => {
    const { files, entries } = await buildBundle();
    const script = new TextDecoder().decode(files.get(entries[`${name}.js`]));
    const shared = [...script.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)].map(([, each = ""]) => each);
    const fonts = name === "console" ? ["inter-v4.woff2", "geist-mono-v1.woff2"] : [];
    const size = sizeOf([entries[`${name}.js`], entries[`${name}.css`], ...shared, ...fonts], files);
    expect(size).toBeLessThanOrEqual(BUDGET[name]);
  });

  test("the element", async () => {
    const { files, entries } = await buildBundle();
    expect(sizeOf([entries["hermod-portal.js"]], files)).toBeLessThanOrEqual(BUDGET.element);
  });
});
