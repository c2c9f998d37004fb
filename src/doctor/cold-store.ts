import type { ColdStore } from "../cold/store";
import { describeError } from "../runtime/log";
import { storeOf } from "../service/cold-settings";
import type { Config } from "../service/config";
import { type Finding, findingsOf } from "./finding";

/** Writes, reads and deletes a small file in the store of HERMOD_COLD_STORE. */
export async function checkColdStore({ cold }: Pick<Config, "cold">): Promise<readonly Finding[]> {
  if (cold === null) return [];
  const found = findingsOf("files");
  try {
    await tryOut(storeOf(cold));
    found.ok(`${cold.address} can be written, read and deleted from`);
  } catch (error) {
    found.fault(`${cold.address} can't be used: ${describeError(error).error}. Check HERMOD_COLD_STORE.`);
  }
  return found.all;
}

async function tryOut(store: ColdStore): Promise<void> {
  const path = `doctor/${crypto.randomUUID()}`;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  await store.put(path, bytes);
  try {
    const read = await store.get(path);
    if (Buffer.compare(read, bytes) !== 0) throw new Error("it returns other bytes than were written");
  } finally {
    await store.remove(path);
  }
}
