import { describe, expect, test } from "bun:test";
import { StoredAnswer } from "../../src/api/edge/stored-answer";
import { healthRoutes, serversReady } from "../../src/api/health";
import { useService } from "../http/service";

const service = await useService();

describe("readiness", () => {
  test("is checked once a second, however many ask", async () => {
    let [now, looks] = [0, 0];
    const clock = { now: () => now, monotonic: () => now, after: () => () => {} };
    const readiness = async () => {
      looks++;
      await Bun.sleep(1);
      return { postgres: looks === 1, nats: true, writes: true };
    };
    const app = healthRoutes(serversReady({ readiness, clock }));
    const ask = async () => (await app.handle(new Request("http://localhost/health/ready"))).status;
    expect(await Promise.all(Array.from({ length: 200 }, ask))).toEqual(Array(200).fill(200));
    now = 999;
    expect(await ask()).toBe(200);
    expect(looks).toBe(1);
    now = 1_000;
    expect(await Promise.all([ask(), ask()])).toEqual([503, 503]);
    expect(looks).toBe(2);
  });
});

describe("a constant answer", () => {
  const PATHS = ["/swagger", "/swagger/json", "/swagger/ui.js", "/swagger/ui.css", "/swagger/start.js"];

  test.each(PATHS)("is sent compressed, and not again to a client that has it: %s", async (path) => {
    const ask = (headers: Record<string, string>) =>
      fetch(service.url + path, { headers, decompress: false } as RequestInit);
    const plain = await ask({ "accept-encoding": "identity" });
    const gzipped = await ask({ "accept-encoding": "br, gzip;q=0.5" });
    const [bytes, small] = [await plain.bytes(), await gzipped.arrayBuffer()];
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(gzipped.headers.get("content-encoding")).toBe("gzip");
    expect(Buffer.from(Bun.gunzipSync(small)).equals(bytes)).toBe(true);
    if (bytes.length > 10_000) expect(small.byteLength).toBeLessThan(bytes.length / 3);
    for (const each of [plain, gzipped]) expect(each.headers.get("vary")).toBe("accept-encoding");

    const [tag, gzipTag] = [plain, gzipped].map(({ headers }) => headers.get("etag") ?? "");
    expect(tag).not.toBe(gzipTag);
    for (const known of [tag, `"other", W/${tag}`, "*"]) {
      const again = await ask({ "accept-encoding": "identity", "if-none-match": known ?? "" });
      expect({ status: again.status, body: await again.text(), tag: again.headers.get("etag") }).toEqual({
        status: 304,
        body: "",
        tag: tag ?? "",
      });
    }
    expect((await ask({ "accept-encoding": "identity", "if-none-match": '"other"' })).status).toBe(200);
  });

  test("is made once for all concurrent requests", async () => {
    let made = 0;
    const stored = new StoredAnswer(
      async () => {
        await Bun.sleep(1);
        return `text ${++made}`;
      },
      { "content-type": "text/plain" },
    );
    const ask = async () => (await stored.answer(new Request("http://a/"), { headers: {} })).text();
    expect(new Set(await Promise.all(Array.from({ length: 100 }, ask)))).toEqual(new Set(["text 1"]));
  });

  test.each([
    [null, false],
    ["", false],
    ["gzip", true],
    ["GZIP;q=1.0", true],
    ["br, gzip ; q=0.001", true],
    ["gzip;q=0", false],
    ["gzip;q=0.000, br", false],
    ["xgzip", false],
  ])("is compressed for Accept-Encoding %p: %p", async (header, isCompressed) => {
    const stored = new StoredAnswer(() => "text", {});
    const request = new Request(
      "http://a/",
      header === null ? {} : { headers: { "accept-encoding": header } },
    );
    const { headers } = await stored.answer(request, { headers: {} });
    expect(headers.get("content-encoding")).toBe(isCompressed ? "gzip" : null);
  });
});
