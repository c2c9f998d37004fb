import { afterEach, describe, expect, test } from "bun:test";
import { createAddressPolicy } from "../../src/attempt/targets/address";
import { checkTargetUrl } from "../../src/attempt/targets/target";
import { ForwardProxy } from "../attempt/forward-proxy";
import { answer, Receiver } from "../attempt/receiver";
import { createSender, exchangeOf, to } from "../attempt/sending";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

function opened<T extends { close(): void }>(each: T): T {
  open.push(each);
  return each;
}

const INTERNAL = [
  ..."localhost LocalHost localhost. a.localhost intranet postgres db. printer.local metadata.google.internal".split(
    " ",
  ),
  ..."router.home.arpa wiki.corp nas.lan box.home a.private a.intranet host.localdomain db.prod.svc".split(
    " ",
  ),
  ..."db.prod.svc.cluster.local ⓛocalhost %6cocalhost PRINTER.LOCAL".split(" "),
];
const ADDRESSES = "127.0.0.1 0x7f.1 10.0.0.1 169.254.169.254 [::1] [fd00:ec2::254] [::ffff:10.0.0.1]".split(
  " ",
);
const PUBLIC = "hook.test example.com localhost.example.com internal.example.com a.b.local.example".split(
  " ",
);

describe("if the proxy resolves names, in production", () => {
  async function scene(allowPrivateNetworks?: string) {
    const proxy = opened(await ForwardProxy.open());
    const egressProxy = `http://${proxy.address}`;
    const rules = { production: true, ...(allowPrivateNetworks !== undefined && { allowPrivateNetworks }) };
    const sender = opened(createSender({ egressProxy, egressResolve: "proxy", ...rules }));
    const receiver = opened(await Receiver.answering(answer(200)));
    const send = (host: string) => exchangeOf(sender, to(`http://${host}:${receiver.port}/`));
    return { proxy, receiver, send };
  }

  test("no internal name and no internal address is requested", async () => {
    const { proxy, receiver, send } = await scene();
    for (const host of [...INTERNAL, ...ADDRESSES])
      expect({ host, ...(await send(host)) }).toMatchObject({ host, status: 0, error: "blocked_address" });
    expect(proxy.asked).toEqual([]);
    expect(receiver.connections).toBe(0);
  });

  test("no name with an empty label is requested, which may hide an internal one", async () => {
    const { proxy, send } = await scene();
    for (const host of ["localhost..", "a..localhost", ".localhost"])
      expect({ host, ...(await send(host)) }).toMatchObject({ host, status: 0 });
    expect(proxy.asked).toEqual([]);
  });

  test("the reason is reported", async () => {
    const { send } = await scene();
    expect(await send("printer.local")).toMatchObject({ errorDetail: "internal_name" });
    expect(await send("10.0.0.1")).toMatchObject({ errorDetail: "not permitted: private" });
  });

  test("other names are requested", async () => {
    const { proxy, send } = await scene();
    for (const host of PUBLIC) expect({ host, ...(await send(host)) }).toMatchObject({ host, status: 200 });
    expect(proxy.asked.length).toBe(PUBLIC.length);
  });

  test("the operator can permit all names, but not by a list of networks", async () => {
    const [all, list] = [await scene("all"), await scene("0.0.0.0/0,::/0")];
    expect(await all.send("printer.local")).toMatchObject({ status: 200 });
    expect(await list.send("printer.local")).toMatchObject({ error: "blocked_address" });
  });

  test("no internal name can be registered", () => {
    const policy = createAddressPolicy({ production: true, allowPrivateNetworks: null });
    const check = (host: string) => checkTargetUrl(`http://${host}/`, policy, { egressResolve: "proxy" });
    for (const host of INTERNAL)
      expect(check(host)).toEqual({ ok: false, reason: "url must not point to an internal name" });
    for (const host of ADDRESSES) expect(check(host)).toMatchObject({ ok: false });
    for (const host of PUBLIC) expect(check(host)).toMatchObject({ ok: true });
  });
});
