import { shareOf } from "./random";
import type { Receipt } from "./receipt";

/** How a receiver answers a request that it has recorded. */
export type Behaviour = (receipt: Receipt) => Response | Promise<Response>;

export const healthy: Behaviour = () => new Response("ok");

export const broken: Behaviour = () => new Response("broken", { status: 500 });

/** Accepts a delivery from attempt `failures` + 1 on. */
export function failsFirst(failures: number): Behaviour {
  return (receipt) => (receipt.attempt <= failures ? broken(receipt) : healthy(receipt));
}

/** Refuses this share of the attempts. The seed decides which. */
export function failsAtRandom(seed: number, share: number): Behaviour {
  return (receipt) => {
    const { endpoint, sequence, attempt } = receipt;
    const isBad = shareOf(`${seed}/${endpoint}/${sequence}/${attempt}`) < share;
    return isBad ? broken(receipt) : healthy(receipt);
  };
}

/** Waits for `ms` before it behaves like `then`. */
export function slow(ms: number, then: Behaviour = healthy): Behaviour {
  return async (receipt) => {
    await Bun.sleep(ms);
    return then(receipt);
  };
}

/** Never answers. */
export const hangs: Behaviour = () => new Promise(() => {});

const endless = new WeakSet<Response>();

/** Returns true for an answer that never ends. */
export function isEndless(response: Response): boolean {
  return endless.has(response);
}

/** Answers 200 and then one byte at a time, without end. */
export const drips: Behaviour = () => {
  let timer: Timer | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      timer = setInterval(() => controller.enqueue(new Uint8Array([46])), 100);
    },
    cancel: () => clearInterval(timer),
  });
  const response = new Response(body);
  endless.add(response);
  return response;
};
