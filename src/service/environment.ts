import { readFileSync } from "node:fs";
import { messageOf } from "../runtime/errors";
import { parseDuration } from "../runtime/text/duration";
import { isGuessable } from "../runtime/text/guessable";
import { percentDecoded } from "../runtime/text/plain-text";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reports every problem of the environment at once, so that an operator can fix them together. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
  }
}

/**
 * Reads and validates variables, and collects every problem. After a problem the returned values are meaningless. A variable in
 * `secrets` may be read from a file instead: `<name>_FILE` is the path. Container platforms mount secrets as files, since other
 * processes and crash reports can show the environment.
 */
export class EnvironmentReader {
  private readonly problems: string[] = [];
  private readonly names = new Set<string>();
  /** The content of each secret file, by the secret's name; null if the file could not be used. */
  private readonly fromFiles = new Map<string, string | null>();

  constructor(
    private readonly env: Environment,
    secrets: readonly string[] = [],
  ) {
    for (const name of secrets) {
      const path = this.variable(`${name}_FILE`);
      if (path !== null) this.fromFiles.set(name, this.secretIn(path, name));
    }
  }

  /** Returns the trimmed value; null if the variable is unset or empty. */
  text(name: string): string | null {
    return this.fromFiles.get(name) ?? this.variable(name);
  }

  /** True if a value was given, also in an unusable file, whose problem is already reported. */
  isGiven(name: string): boolean {
    return this.fromFiles.has(name) || this.text(name) !== null;
  }

  secret(name: string, minLength: number): string | null {
    const value = this.text(name);
    if (value === null) return null;
    if (value.length < minLength) this.problem(`${name} needs at least ${minLength} characters`);
    else if (isGuessable(Buffer.from(value)))
      this.problem(`${name} is guessable; use random text, such as the output of openssl rand -hex 32`);
    return value;
  }

  url(name: string, schemes: readonly string[]): string | null {
    return this.checkUrls(name, "a URL that begins", schemes, (value) => [value]);
  }

  urls(name: string, schemes: readonly string[]): string | null {
    return this.checkUrls(name, "one or more URLs that begin", schemes, (value) => value.split(","));
  }

  origins(name: string): readonly string[] {
    const origins =
      this.text(name)
        ?.split(",")
        .map((each) => each.trim()) ?? [];
    const isOrigin = (each: string) => /^https?:/.test(each) && URL.parse(each)?.origin === each;
    if (!origins.every(isOrigin)) {
      this.problem(`${name} must be origins separated by commas, such as https://app.example.com`);
    }
    return Object.freeze(origins);
  }

  /** Reads a text that `parse` accepts. `parse` throws for an invalid text. */
  checked(name: string, parse: (value: string) => unknown): string | null {
    this.parsed(name, parse);
    return this.text(name);
  }

  parsed<T>(name: string, parse: (value: string) => T): T | null {
    const value = this.text(name);
    try {
      return value === null ? null : parse(value);
    } catch (error) {
      const message = messageOf(error);
      const reason = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
      this.problem(reason.startsWith(`${name} `) ? reason : `${name} can't be used: ${reason}`);
      return null;
    }
  }

  problem(text: string): void {
    this.problems.push(text);
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.text(name);
    if (value === null) return fallback;
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    this.problem(`${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  /** Reads a share, from 0 to 1. */
  share(name: string, fallback = "0"): number {
    const value = this.text(name) ?? fallback;
    const share = /^(?:\d+|\d*\.\d+)$/.test(value) ? Number(value) : Number.NaN;
    if (share >= 0 && share <= 1) return share;
    this.problem(`${name} must be a number from 0 to 1, such as 0.01 for one in a hundred`);
    return 0;
  }

  /**
   * Reads a port. Returns null also for a Kubernetes service address: Kubernetes sets `HERMOD_NATS_PORT` for a service called
   * hermod-nats.
   */
  port(name: string, min = 1): number | null {
    const value = this.text(name);
    return value === null || isServiceAddress(value) ? null : this.integer(name, 0, min, 65_535);
  }

  /** Reads a duration. Fallback and bounds have the same form as the variable. */
  duration(name: string, fallback: string, least: string, most: string): number {
    const ms = parseDuration(this.text(name) ?? fallback);
    if (ms !== null && ms >= msOf(least) && ms <= msOf(most)) return ms;
    this.problem(`${name} must be a duration from ${least} to ${most}, such as ${fallback}`);
    return msOf(fallback);
  }

  schedule(name: string, fallback: string, most: string): readonly number[] {
    const delays = (this.text(name) ?? fallback).split(",").map(parseDuration);
    const valid = delays.filter((ms): ms is number => ms !== null && ms > 0 && ms <= msOf(most));
    if (valid.length !== delays.length || delays.length > 100) {
      this.problem(
        `${name} must be up to 100 durations above 0 and up to ${most} with commas between them, such as 1s,30s,5m`,
      );
    }
    return Object.freeze(valid);
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.text(name);
    if (value === null) return fallback;
    const choice = choices.find((each) => each === value);
    if (!choice) this.problem(`${name} must be one of ${choices.join(", ")}`);
    return choice ?? fallback;
  }

  /** Reads a flag, false by default. */
  flag(name: string): boolean {
    return this.oneOf(name, ["true", "false"], "false") === "true";
  }

  /** Reads a switch, on by default. */
  switch(name: string): boolean {
    return this.oneOf(name, ["on", "off"], "on") === "on";
  }

  /** Returns the variables with this prefix that were not read. */
  unread(prefix: string): readonly string[] {
    return Object.keys(this.env).filter((name) => name.startsWith(prefix) && !this.names.has(name));
  }

  /** Throws `ConfigError` if there was any problem. */
  finish(): void {
    if (this.problems.length > 0) throw new ConfigError(this.problems);
  }

  private variable(name: string): string | null {
    this.names.add(name);
    const value = this.env[name]?.trim();
    return value ? value : null;
  }

  /** Returns the content of the secret's file; null after a problem. */
  private secretIn(path: string, name: string): string | null {
    if (this.variable(name) !== null) {
      this.problem(`${name}_FILE and ${name} exclude each other; set one of them`);
      return null;
    }
    try {
      const content = readFileSync(path, "utf8").trim();
      if (content !== "") return content;
      this.problem(`${name}_FILE names an empty file: ${path}`);
    } catch (error) {
      this.problem(`${name}_FILE can't be read: ${messageOf(error)}`);
    }
    return null;
  }

  private checkUrls(
    name: string,
    kind: string,
    schemes: readonly string[],
    split: (value: string) => string[],
  ): string | null {
    const value = this.text(name);
    if (value === null) return null;
    const urls = split(value).map((each) => URL.parse(each.trim()));
    if (!urls.every((url) => schemes.includes(url?.protocol ?? ""))) {
      this.problem(`${name} must be ${kind} with ${schemes.join("// or ")}//`);
    } else if (!urls.every((url) => isEncoded(url?.username ?? "") && isEncoded(url?.password ?? ""))) {
      this.problem(`${name} has a name or password that is not percent-encoded: a % is written %25`);
    }
    return value;
  }
}

/** True for a Kubernetes service address, such as `tcp://10.0.0.7:4222` in a variable `…_PORT`. */
export function isServiceAddress(value: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(value);
}

/** Parses one of our own durations. */
function msOf(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new Error(`${duration} is not a duration`);
  return ms;
}

function isEncoded(text: string): boolean {
  return percentDecoded(text) !== null;
}
