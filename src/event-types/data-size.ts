export type DataSize = {
  /** JSON values, those within others too. */
  values: number;
  /** Of all texts and names. */
  characters: number;
};

/** Whether data has more of anything than `most`; it is not looked at any further than that. */
export function isLarger(data: unknown, most: DataSize): boolean {
  const left = { ...most };
  // No recursion: data may be nested deeper than the stack.
  const waiting: unknown[] = [data];
  while (waiting.length > 0) {
    const value = waiting.pop();
    left.values--;
    if (typeof value === "string") left.characters -= value.length;
    else if (Array.isArray(value)) for (const part of value) waiting.push(part);
    else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        left.characters -= name.length;
        waiting.push(part);
      }
    }
    if (left.values < 0 || left.characters < 0) return true;
  }
  return false;
}
