import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createAddressPolicy } from "../../src/attempt/targets/address";
import { checkTargetUrl } from "../../src/attempt/targets/target";

const strict = createAddressPolicy({ production: true, allowPrivateNetworks: null });
const lenient = createAddressPolicy({ production: false, allowPrivateNetworks: null });

const reasonOf = (text: string, policy = strict, options = {}) => {
  const check = checkTargetUrl(text, policy, options);
  return check.ok ? null : check.reason;
};

describe("the URL of a target", () => {
  test.each([
    ["https://example.com", "https://example.com/"],
    ["HTTPS://Example.COM/Hook?A=b", "https://example.com/Hook?A=b"],
    ["http://example.com:80/", "http://example.com/"],
    ["https://example.com:443/", "https://example.com/"],
    ["https://example.com:8443/", "https://example.com:8443/"],
    ["http://example.com:1/", "http://example.com:1/"],
    ["http://example.com:65535/", "http://example.com:65535/"],
    ["https://example.com./", "https://example.com./"],
    ["https://example.com/a/../b/./c", "https://example.com/b/c"],
    ["https://example.com/#part", "https://example.com/"],
    ["https://example.com/a@b?c=@d", "https://example.com/a@b?c=@d"],
    ["https://example.com/ü?ü", "https://example.com/%C3%BC?%C3%BC"],
    ["https://münchen.de/", "https://xn--mnchen-3ya.de/"],
    ["https://日本語.jp/", "https://xn--wgv71a119e.jp/"],
    ["https://نامه\u200cای.com/", "https://xn--mgba3gch31f060k.com/"],
    ["https://क्\u200dष.com/", "https://xn--11b2ezcw70k.com/"],
    [
      "https://example.com/می\u200cخواهم",
      "https://example.com/%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85",
    ],
    ["https://example.com/👩\u200d💻", "https://example.com/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB"],
    [
      "https://example.com/?q=❤\u{fe0f}\u200d🔥",
      "https://example.com/?q=%E2%9D%A4%EF%B8%8F%E2%80%8D%F0%9F%94%A5",
    ],
    [
      "https://example.com/🏴\u{e0067}\u{e0062}\u{e007f}",
      "https://example.com/%F0%9F%8F%B4%F3%A0%81%A7%F3%A0%81%A2%F3%A0%81%BF",
    ],
    ["https://ex_ample.com/", "https://ex_ample.com/"],
    ["https://intranet/", "https://intranet/"],
    ["https://printer.local/", "https://printer.local/"],
    ["https://api.internal/", "https://api.internal/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://0x08080808/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    ["https://[2606:4700:0:0:0:0:0:1111]:8443/x", "https://[2606:4700::1111]:8443/x"],
    ["https://exa%6dple.com/", "https://example.com/"],
  ])("%s is used as %s", (text, url) => {
    expect(checkTargetUrl(text, strict)).toEqual({ ok: true, url });
  });

  test("stays the same when it is parsed again", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (text) => {
        const check = checkTargetUrl(text, strict);
        if (check.ok) expect(checkTargetUrl(check.url, strict)).toEqual(check);
      }),
    );
  });

  // Every spelling of 127.0.0.1, 10.0.0.1, 169.254.169.254, [::1] and the like that a parser may know.
  test.each([
    ..."127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7F.1 0x7f.0x0.0x0.0x1".split(
      " ",
    ),
    ..."0177.0.0.1 0177.1 017700000001 00000177.0.0.1 127.0.0.0x1 0x7f.0.0.01 127.0x000001 10.1 0xa000001".split(
      " ",
    ),
    ..."167772161 012.0.0.1 192.168.1 3232235777 0xc0a80101 0300.0250.1.1 172.1048577 0 0.0.0.0 0x0 00 0.1".split(
      " ",
    ),
    ..."2852039166 0xa9fea9fe 0xa9.0xfe.0xa9.0xfe 0251.0376.0251.0376 169.254.43518 169.16689662".split(" "),
    ..."025177524776 168.63.129.16 0xa83f8110 100.100.100.200 4294967295 255.255.255.255 3758096385".split(
      " ",
    ),
    ..."%31%32%37.0.0.1 127%2e0%2e0%2e1 １２７.0.0.1 ①②⑦.0.0.1 127。0。0。1 127．0．0．1 127｡0｡0｡1".split(
      " ",
    ),
    ..."[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:10.0.0.1] [::127.0.0.1]".split(
      " ",
    ),
    ..."[0:0:0:0:0:ffff:7f00:0001] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1]".split(" "),
    ..."[64:ff9b:1::8.8.8.8] [2002:7f00:1::] [2002:a00:1::1] [2001:0:4136:e378:8000:63bf:80ff:fffe]".split(
      " ",
    ),
    ..."[fe80::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [2001:db8::1] [100::1] [5f00::1]".split(
      " ",
    ),
    ..."localhost LOCALHOST localhost. LocalHost. ⓛocalhost ｌocalhost a.localhost a.b.LOCALHOST. %6cocalhost".split(
      " ",
    ),
  ])("%s is refused in production", (host) => {
    for (const port of ["", ":80", ":8080"]) {
      expect(reasonOf(`http://${host}${port}/hook`)).toMatch(/^url must not point to/);
    }
  });

  test.each([
    "127.1",
    "localhost",
    "a.localhost.",
    "0x7f000001",
    "[::1]",
    "10.0.0.1",
    "[::ffff:10.0.0.1]",
    "[fd00::1]",
  ])("%s is accepted outside production", (host) => {
    expect(reasonOf(`http://${host}:3000/hook`, lenient)).toBeNull();
  });

  test.each(["127.0.0.0/8", "::1"])("localhost is accepted if %s is permitted", (allowPrivateNetworks) => {
    const policy = createAddressPolicy({ production: true, allowPrivateNetworks });
    expect(reasonOf("http://localhost/", policy)).toBeNull();
  });

  test.each([
    "169.254.169.254",
    "0xa9fea9fe",
    "[fd00:ec2::254]",
    "[::ffff:169.254.169.254]",
    "168.63.129.16",
    "0.0.0.0",
  ])("%s is refused outside production too", (host) => {
    expect(reasonOf(`http://${host}/latest/meta-data`, lenient)).toMatch(/^url must not point to/);
  });

  test.each([
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[::1",
    "http://[v1.a]/",
    "http://256.1.1.1/",
    "http://1.2.3.4.5/",
    "http://4294967296/",
    "http://0x100000000/",
    "http://08.1.1.1/",
    "http://127.0.0.1%00/",
    "http://a|b/",
    "http://xn--a/",
    "http://a\u200cb/",
    "http://local\u200dhost/",
    "http://localhost\u200c/",
    "http://127.0.0\u200c.1/",
    "http://👩\u200d💻.test/",
    "http://a\u{e0067}b/",
    "http://example.com:65536/",
    "http://example.com:-1/",
    "http://example.com:a/",
    "http://?a",
    "http://#a",
  ])("%s is not valid", (text) => {
    expect(reasonOf(text, lenient)).toBe("url is not a valid URL");
  });

  test.each([
    "http://127.0.0.1../",
    "http://a..b/",
    "http://.a/",
    "http://-a.com/",
    "http://a-.com/",
    "http://*.example.com/",
    "http://a,b/",
    "http://a'b/",
    "http://a$b/",
    "http://a;b/",
    "http://a`b/",
    "http://a{b/",
    `http://${"a".repeat(64)}.com/`,
    `http://${"a.".repeat(127)}com/`,
  ])("%s has no valid host name", (text) => {
    expect(reasonOf(text, lenient)).toBe("url must have a valid host name");
  });

  test.each([
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:,x",
    "ws://example.com/",
    "//example.com/",
    "example.com",
    "/hook",
    "",
    "http:",
    "http:/",
    "http://",
    "http:///a",
    "http:example.com",
    "http:\\\\example.com\\",
    "https:/example.com/",
    "http://\\example.com",
    "s3://bucket/key",
  ])("%j has an unsupported scheme", (text) => {
    expect(reasonOf(text, lenient)).toBe("url must begin with http:// or https://");
  });

  test("must use https if that is required", () => {
    const options = { requireHttps: true };
    expect(reasonOf("http://example.com/", lenient, options)).toBe("url must begin with https://");
    expect(reasonOf("HTTPS://example.com/", lenient, options)).toBeNull();
  });

  test.each([
    "http://user@example.com/",
    "http://user:pass@example.com/",
    "http://:pass@example.com/",
    "http://@example.com/",
    "http://:@example.com/",
    "http://a@b@example.com/",
    "https://8.8.8.8@example.com/",
    "http://%40@example.com/",
  ])("%s has credentials", (text) => {
    expect(reasonOf(text, lenient)).toBe("url must not contain a user name or password");
  });

  test.each([
    " ",
    "\t",
    "\n",
    "\r",
    "\0",
    "\x7f",
    "\u0085",
    "\u00a0",
    "\u00ad",
    "\u2028",
    "\u200b",
    "\u202e",
    "\u3000",
    "\ufeff",
    "\ud800",
    "\ufffd",
  ])("%j is found anywhere", (character) => {
    for (const text of [
      `${character}http://example.com/`,
      `http://exam${character}ple.com/`,
      `http://example.com/${character}`,
      `http://example.com/a${character}b`,
    ]) {
      expect(reasonOf(text, lenient)).toBe("url must not contain spaces or control characters");
    }
  });

  test("has a port, and no port 0", () => {
    expect(reasonOf("http://example.com:0/", lenient)).toBe("url must have a port from 1 to 65535");
  });

  test("has up to 2,048 characters, also in its encoded form", () => {
    const start = "https://example.com/";
    expect(reasonOf(start + "a".repeat(2_048 - start.length), lenient)).toBeNull();
    expect(reasonOf(start + "a".repeat(2_049 - start.length), lenient)).toMatch(/2048 characters$/);
    expect(reasonOf(start + "ü".repeat(400), lenient)).toMatch(/2048 characters once encoded$/);
  });

  test("is checked without an exception, whatever the text", () => {
    const host = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.ipV4Extended(),
      fc.ipV6().map((ip) => `[${ip}]`),
    );
    fc.assert(
      fc.property(host, fc.string({ unit: "binary" }), (name, rest) => {
        const check = checkTargetUrl(`http://${name}/${rest}`, strict);
        if (!check.ok) return expect(check.reason).toMatch(/^url (must|is)/);
        expect(/^https?:\/\/[\x21-\x7e]+$/.test(check.url)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
