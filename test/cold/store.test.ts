import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeBlock, encodeBlock } from "../../src/cold/block-file";
import { openStore } from "../../src/cold/store";
import { atEnd } from "../support/at-end";
import { smallBucket } from "./small-bucket";

const folder = await mkdtemp(join(tmpdir(), "hermod-store-"));
atEnd(() => rm(folder, { recursive: true }));
const { objects, access } = smallBucket();
const STORES = { folder, bucket: "s3://cold/some/folder" };

for (const [kind, address] of Object.entries(STORES)) {
  describe(`A store in a ${kind}`, () => {
    const store = openStore(address, access);

    test("returns a file byte for byte, and forgets it once removed", async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(70_000));
      await store.put("account=1/day=2/file", bytes);
      expect(await store.get("account=1/day=2/file")).toEqual(bytes);
      await store.remove("account=1/day=2/file");
      await store.remove("account=1/day=2/file");
      expect(store.get("account=1/day=2/file")).rejects.toThrow();
    });
  });
}

describe("The address of a store", () => {
  test("puts objects below its folder", async () => {
    await openStore("s3://cold/some/folder/", access).put("file", new Uint8Array(3));
    expect([...objects.keys()]).toEqual(["/cold/some/folder/file"]);
  });

  test("is refused unless it is an absolute path or a bucket", () => {
    for (const address of ["cold", "s3://", "https://example.com/cold"])
      expect(() => openStore(address)).toThrow(
        "must be an absolute path, or s3:// with a bucket and a folder",
      );
  });
});

describe("The file of a block", () => {
  const rows = {
    events: [],
    deliveries: [JSON.stringify({ id: 1, data: '{"text":"line\\nbreak \\u0000 ünï"}' })],
    results: ['{"delivery_id":1}'],
    attempts: [],
  };

  test("gives the rows back as they were", async () => {
    const { bytes, digest } = await encodeBlock(rows);
    expect(await decodeBlock(bytes, digest)).toEqual(rows);
  });

  test("is refused once a bit of it has changed", async () => {
    const { bytes, digest } = await encodeBlock(rows);
    const spoilt = bytes.map((byte, i) => (i === 20 ? byte ^ 1 : byte));
    expect(decodeBlock(spoilt, digest)).rejects.toThrow("the file of a cold block differs from its checksum");
  });
});
