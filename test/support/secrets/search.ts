/** A text that must not appear anywhere. */
export type Secret = { name: string; text: string };

/** A text to search. */
export type Corpus = { name: string; text: string };

/** Characters of a secret that count as a leak, since an attacker can find the rest. */
const PART = 16;
/** Distance of the parts that are searched for: every run of `PART + STEP - 1` characters contains one. */
const STEP = 4;

const BASE64 = /^[A-Za-z0-9+/_-]{40,}={0,2}$/;

/** Returns where secrets, or parts of them, appear, in clear or in a common encoding. */
export function findSecrets(corpora: readonly Corpus[], secrets: readonly Secret[]): string[] {
  const names = new Map(
    secrets.flatMap(({ name, text }) =>
      [...formsOf(text)].flatMap((form) => partsOf(form).map((part) => [part, name] as const)),
    ),
  );
  const short = [...names].filter(([part]) => part.length < PART);
  const found = corpora.flatMap(({ name: place, text }) => {
    const here = [
      ...short.filter(([part]) => text.includes(part)).map(([, name]) => name),
      ...namesIn(text, names),
    ];
    return here.map((name) => `${name} in ${place}`);
  });
  return [...new Set(found)];
}

/** Looks up each run of `PART` characters. Searching the text for each of thousands of parts takes ten times as long. */
function* namesIn(text: string, names: ReadonlyMap<string, string>): Generator<string> {
  for (let at = 0; at + PART <= text.length; at++) {
    const name = names.get(text.slice(at, at + PART));
    if (name !== undefined) yield name;
  }
}

/** Returns the forms in which a secret may be written: as it is, encoded, or decoded from Base64 and encoded again. */
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
