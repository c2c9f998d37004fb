import type { Cell } from "../cell";
import { Requests } from "../load/requests";
import { isFailing } from "../receiver/tally";
import type { NewEndpoint } from "../system/client";

const ACCOUNTS = 10;
/** One account in 10 has a monthly limit, one send in 4 a key; one receiver in 20 fails, one in 3 is on HTTPS. */
const ONE_IN = { limited: 10, keyed: 4, failing: 20, secure: 3 };

/** Endpoint settings of a failing receiver: unordered, so a retry after a second holds nothing back. */
const FAILING = { ordering: "unordered", max_in_flight: 100, retry_schedule_ms: [1_000, 1_000, 1_000] };

/** Creates accounts and endpoints, and requests that send to them in turn. */
export async function mixedTraffic(cell: Cell, port: number, endpoints: number): Promise<Requests> {
  const { system, receiver, run } = cell;
  await receiver.begin(run, { delayMs: 0, failingEvery: ONE_IN.failing });
  const admin = system.client(port);
  const clients = [];
  for (let i = 0; i < ACCOUNTS; i++) clients.push(await admin.account(isOneIn(ONE_IN.limited, i)));
  const targets: { client: (typeof clients)[number]; id: string }[] = [];
  for (let i = 0; i < endpoints; i++) {
    const client = clients[i % ACCOUNTS] ?? admin;
    const [id = ""] = await client.register([endpointAt(cell, i)]);
    targets.push({ client, id });
  }
  // Four requests per endpoint, one of them with a key.
  const rounds = Array.from({ length: ONE_IN.keyed }, (_, round) => round);
  return new Requests(
    rounds.flatMap((round) =>
      targets.map(({ client, id }, i) => client.requestTo(id, { isKeyed: isOneIn(ONE_IN.keyed, round + i) })),
    ),
  );
}

function endpointAt({ receiver, run }: Cell, i: number): NewEndpoint {
  const url = isOneIn(ONE_IN.secure, i) ? receiver.secureUrlOf(run, i) : receiver.urlOf(run, i);
  return { url, ...(isFailing(i, ONE_IN.failing) && FAILING) };
}

function isOneIn(many: number, i: number): boolean {
  return i % many === many - 1;
}
