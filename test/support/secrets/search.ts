/** Something that must be found nowhere. */
export type Secret = { name: string; text: string };

/** Something to look through. */
export type Corpus = { name: string; text: string };

/** A part of a secret of this length is as good as all of it to whoever looks for it. */
const PART = 16;
/** So every run of `PART + STEP - 1` characters has a part that is looked for. */
const STEP = 4;

const BASE64 = /^[A-Za-z0-9+/_-]{40,}={0,2}$/;

/** Where secrets, or parts of them, are found, in clear or in a usual encoding. */
export function findSecrets(corpora: readonly Corpus[], secrets: readonly Secret[]): string[] {
  const parts = secrets.flatMap(({ name, text }) =>
    [...formsOf(text)].flatMap((form) => partsOf(form).map((part) => ({ name, part }))),
  );
  const found = corpora.flatMap((corpus) =>
    parts.filter(({ part }) => corpus.text.includes(part)).map(({ name }) => `${name} in ${corpus.name}`),
  );
  return [...new Set(found)];
}

/** A secret as it may be written: as it is, encoded, and what it is the Base64 of, encoded in other ways. */
function formsOf(text: string): Set<string> {
  const forms = new Set([text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]);
  const payload = text.replace(/^whsec_/, "");
  const values = BASE64.test(payload)
    ? [Buffer.from(text), Buffer.from(payload, "base64")]
    : [Buffer.from(text)];
  for (const bytes of values) {
    const hex = bytes.toString("hex");
    forms.add(hex).add(hex.toUpperCase()).add(bytes.toString("base64")).add(bytes.toString("base64url"));
    forms.add(bytes.join(","));
  }
  return forms;
}

function partsOf(form: string): string[] {
  if (form.length <= PART) return [form];
  const starts = Array.from({ length: Math.floor((form.length - PART) / STEP) + 1 }, (_, i) => i * STEP);
  return starts.map((start) => form.slice(start, start + PART));
}
