type Field = { no: number; value: Uint8Array | bigint };

/** The messages, texts and bytes in a field. */
export function messages(message: Uint8Array, no: number): Uint8Array[] {
  return fieldsIn(message).flatMap((each) =>
    each.no === no && typeof each.value !== "bigint" ? [each.value] : [],
  );
}

export function message(of: Uint8Array, no: number): Uint8Array {
  return messages(of, no)[0] ?? new Uint8Array();
}

export function text(of: Uint8Array, no: number): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(message(of, no));
}

export function hex(of: Uint8Array, no: number): string {
  return Buffer.from(message(of, no)).toString("hex");
}

/** The whole number in a field, of any size; 0 if the field is missing. */
export function integer(of: Uint8Array, no: number): number {
  return Number(bitsOf(of, no));
}

/** The 64-bit floating-point number in a field; 0 if the field is missing. */
export function double(of: Uint8Array, no: number): number {
  return new Float64Array(BigUint64Array.of(bitsOf(of, no)).buffer)[0] ?? 0;
}

export function packedIntegers(of: Uint8Array, no: number): number[] {
  return [...new BigUint64Array(message(of, no).slice().buffer)].map(Number);
}

export function packedDoubles(of: Uint8Array, no: number): number[] {
  return [...new Float64Array(message(of, no).slice().buffer)];
}

function bitsOf(of: Uint8Array, no: number): bigint {
  const field = fieldsIn(of).find((each) => each.no === no && typeof each.value === "bigint");
  return typeof field?.value === "bigint" ? field.value : 0n;
}

/** The fields of a protobuf message: varints, fixed numbers, and bytes. */
function fieldsIn(bytes: Uint8Array): Field[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const taken = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [no, kind] = [tag >> 3, tag & 7];
    if (kind === 0) fields.push({ no, value: varint() });
    else if (kind === 2) fields.push({ no, value: taken(Number(varint())) });
    else if (kind === 1)
      fields.push({ no, value: new DataView(taken(8).slice().buffer).getBigUint64(0, true) });
    else if (kind === 5)
      fields.push({ no, value: BigInt(new DataView(taken(4).slice().buffer).getUint32(0, true)) });
    else throw new Error(`no wire type ${kind}`);
  }
  return fields;
}
