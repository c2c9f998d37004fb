import { percentDecoded, textProblem } from "../../runtime/text/plain-text";
import { badRequest } from "../errors";
import { unknownParameter } from "../json/unknown-name";
import { readInstant, refuseReversed } from "./instant";

/** Larger counts are lowered to this number, which exceeds any list. */
const MAX_COUNT = 1e12;

/** Marks the free part of a documented parameter's name, as in `data.<field>`. */
const FREE_NAME = "<";

/** The prefix of the parameters that search fields of payloads. */
export const PAYLOAD_PREFIX = "data.";
/** The prefix of the parameters that search the metadata of endpoints. */
export const METADATA_PREFIX = "metadata.";

/** Refuses unknown query parameters, because ignoring a mistyped filter would return too much. */
export function refuseUnknownParameters(url: string, known: readonly string[]): void {
  for (const [written] of pairsOf(url)) {
    const name = decode(written) ?? decodeAnyhow(written);
    if (!known.some((each) => isNamed(name, each))) throw unknownParameter(name, known);
  }
}

function isNamed(name: string, known: string): boolean {
  const free = known.indexOf(FREE_NAME);
  return free === -1 ? name === known : name.startsWith(known.slice(0, free));
}

/** Splits a URL's query into names and values, still encoded. */
function pairsOf(url: string): [name: string, value: string][] {
  const start = url.indexOf("?");
  if (start === -1) return [];
  const pairs = url.slice(start + 1).split("&");
  return pairs
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals === -1 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

/**
 * Reads query parameters of a request, by name or prefix. Throws 400 for a parameter that is repeated or empty. The guard has
 * already refused unknown parameters.
 */
export class Query<Name extends string> {
  private readonly values = new Map<string, string>();

  private readonly known: readonly string[];

  constructor(
    url: string,
    known: readonly Name[],
    private readonly prefix: string | null = null,
  ) {
    this.known = known;
    for (const [name, value] of pairsOf(url)) this.read(name, value);
  }

  has(name: Name): boolean {
    return this.values.has(name);
  }

  text(name: Name): string | undefined {
    return this.values.get(name);
  }

  /** Returns the parameters with the prefix, each as the rest of the name and the value. */
  prefixed(): [name: string, value: string][] {
    const { prefix } = this;
    if (prefix === null) return [];
    return [...this.values]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]);
  }

  /** Returns the names among `names` that the query has. */
  given<N extends Name>(names: readonly N[]): N[] {
    return names.filter((name) => this.values.has(name));
  }

  /** Reads a positive whole number. */
  count(name: Name): number | undefined {
    const text = this.values.get(name);
    if (text === undefined) return undefined;
    const count = /^\d+$/.test(text) ? Number(text) : 0;
    if (count < 1) throw badRequest(`${name} must be a positive whole number`);
    return Math.min(count, MAX_COUNT);
  }

  /** Reads one of these words. */
  oneOf<T extends string>(name: Name, choices: readonly T[]): T | undefined {
    const text = this.values.get(name);
    if (text === undefined) return undefined;
    const choice = choices.find((each) => each === text);
    if (choice === undefined) throw badRequest(`${name} must be one of ${choices.join(", ")}`);
    return choice;
  }

  /** Reads a timestamp as Unix milliseconds. */
  instant(name: Name): number | undefined {
    const text = this.values.get(name);
    if (text === undefined) return undefined;
    // Restores a plus sign that was not percent-encoded and arrived as a blank. The first blank may be the T of a time.
    return readInstant(name, text.replace(/^([\d-]+[T ][\d:.,]+) (\d\d(?::?\d\d)?)$/i, "$1+$2"));
  }

  /** Reads a range of times. Throws 400 if it ends before it begins. */
  range(this: Query<"after" | "before">): { after: number | undefined; before: number | undefined } {
    const range = { after: this.instant("after"), before: this.instant("before") };
    refuseReversed(range.after, range.before);
    return range;
  }

  private isKnown(name: string): boolean {
    return this.known.includes(name) || (this.prefix !== null && name.startsWith(this.prefix));
  }

  private read(written: string, encoded: string): void {
    const decoded = decode(written);
    const name = decoded ?? decodeAnyhow(written);
    if (!this.isKnown(name)) return;
    this.refuseBadName(name, decoded !== null);
    const value = decode(encoded);
    if (value === null) throw badRequest(`${name} is not valid percent-encoded UTF-8`);
    if (value === "") throw badRequest(`${name} must not be empty`);
    if (this.values.has(name)) throw badRequest(`${name} is given more than once`);
    const problem = textProblem(value);
    if (problem) throw badRequest(`${name} ${problem}`);
    this.values.set(name, value);
  }

  /** Throws 400 for an invalid name behind the prefix. */
  private refuseBadName(name: string, isUtf8: boolean): void {
    if (this.prefix === null || !name.startsWith(this.prefix)) return;
    const problem = isUtf8 ? textProblem(name) : "must be percent-encoded UTF-8";
    if (problem) throw badRequest(`the name behind ${this.prefix} ${problem}`);
  }
}

/** Decodes UTF-8 as far as it is valid, to see whether the name has the prefix. */
function decodeAnyhow(text: string): string {
  const [[name = ""] = []] = new URLSearchParams(`${text}=`);
  return name;
}

function decode(text: string): string | null {
  return percentDecoded(text.replaceAll("+", " "));
}
