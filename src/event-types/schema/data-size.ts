export type DataSize = {
  /** JSON values, including nested ones. */
  values: number;
  /** Characters of all texts and names. */
  characters: number;
};

/** Measures data. Returns null as soon as a measure exceeds `most`. */
export function sizeWithin(most: DataSize, data: unknown): DataSize | null {
  const size = { values: 0, characters: 0 };
  // Without recursion, since data may be nested deeper than the stack allows.
  const waiting: unknown[] = [data];
  while (waiting.length > 0) {
    const value = waiting.pop();
    size.values++;
    if (typeof value === "string") size.characters += value.length;
    else if (Array.isArray(value)) for (const part of value) waiting.push(part);
    else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        size.characters += name.length;
        waiting.push(part);
      }
    }
    if (size.values > most.values || size.characters > most.characters) return null;
  }
  return size;
}
