import { describe, expect, test } from "bun:test";
import { JSONCodec } from "nats";
import { CellBucket } from "../../src/cells/bucket";
import { CellDirectory, type Whereabouts } from "../../src/cells/directory";
import { answerQuestions } from "../../src/cells/questions";
import { type CellReference, keyOf, referenceOfToken } from "../../src/cells/reference";
import { systemClock } from "../../src/runtime/clock";
import { natsClient, streamConnection } from "../support/nats-client";
import { testNatsUrl } from "../support/servers";

const url = await testNatsUrl();
const nats = await natsClient(url);
const connection = await streamConnection(url);

function reference(token: string): CellReference {
  const found = referenceOfToken(token);
  if (found === null) throw new Error("the token is too long");
  return found;
}

/** A directory of an installation in which one cell answers, and another gets questions and answers none. */
function directoryBeside(known: readonly CellReference[]) {
  const [alive, hanging] = [crypto.randomUUID(), crypto.randomUUID()];
  const keys = known.map(keyOf);
  answerQuestions(nats, alive, async (asked) => ({
    here: asked.map(keyOf).filter((key) => keys.includes(key)),
    everywhere: [],
  }));
  const unanswered: unknown[] = [];
  nats.subscribe(`hermod.cells.${hanging}.knows`, {
    callback: (_, { data }) => void unanswered.push(JSONCodec().decode(data)),
  });
  const clock = systemClock;
  const bucket = new CellBucket({ connection, replicas: 1, clock });
  const cells = [alive, hanging];
  return { alive, unanswered, directory: new CellDirectory({ connection, bucket, cells, own: null, clock }) };
}

describe("the directory, while one cell hangs", () => {
  test("finds other cells' keys at once, is unsure of unknown ones, and rests before it asks that cell again", async () => {
    const key = reference(crypto.randomUUID());
    const { alive, unanswered, directory } = directoryBeside([key]);
    const order: Whereabouts["kind"][] = [];
    const unknown = directory.find(reference(crypto.randomUUID()));
    const found = directory.find(key);
    await Promise.all([unknown, found].map((each) => each.then(({ kind }) => order.push(kind))));
    expect(order).toEqual(["cell", "unsure"]);
    expect(await found).toEqual({ kind: "cell", name: alive });
    const before = unanswered.length;
    expect(await directory.find(reference(crypto.randomUUID()))).toEqual({ kind: "unsure" });
    expect(unanswered).toHaveLength(before);
  });
});
