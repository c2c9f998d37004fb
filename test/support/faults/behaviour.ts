import { shareOf } from "./random";
import type { Receipt } from "./receipt";

/** A receiver's reaction to a request that it has recorded. */
export type Behaviour = (receipt: Receipt) => Response | Promise<Response>;

export const healthy: Behaviour = () => new Response("ok");

export const broken: Behaviour = () => new Response("broken", { status: 500 });

/** Takes a delivery only at its attempt number `failures` + 1. */
export function failsFirst(failures: number): Behaviour {
  return (receipt) => (receipt.attempt <= failures ? broken(receipt) : healthy(receipt));
}

/** Refuses this share of the attempts; which ones follows from the seed. */
export function failsAtRandom(seed: number, share: number): Behaviour {
  return (receipt) => {
    const { endpoint, sequence, attempt } = receipt;
    const isBad = shareOf(`${seed}/${endpoint}/${sequence}/${attempt}`) < share;
    return isBad ? broken(receipt) : healthy(receipt);
  };
}

/** Takes its time before it does what another does. */
export function slow(ms: number, then: Behaviour = healthy): Behaviour {
  return async (receipt) => {
    await Bun.sleep(ms);
    return then(receipt);
  };
}

/** Never answers. */
export const hangs: Behaviour = () => new Promise(() => {});

const endless = new WeakSet<Response>();

/** True for an answer that never comes to its end. */
export function isEndless(response: Response): boolean {
  return endless.has(response);
}

/** Answers 200 and then a byte at a time, without end. */
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
