import { type CelEnv, CelScalar, celEnv, celFunc, celMethod } from "@bufbuild/cel";
import type { Patterns } from "../schema/patterns";
import { budgeted, KEY, matchesPattern, RANGE } from "./filter-budget";

/** Returns the functions of CEL, which charge the budget of the running evaluation. */
export function environment(patterns: Patterns): CelEnv {
  const { STRING, BOOL, DYN, INT } = CelScalar;
  const env = celEnv({
    funcs: [
      celFunc(RANGE, [DYN, INT], DYN, (list) => list),
      celFunc(KEY, [DYN], DYN, (key) => key),
      celMethod("matches", STRING, [STRING], BOOL, function (source) {
        return matchesPattern(patterns, this, source);
      }),
      celMethod("lowerAscii", STRING, [], STRING, function () {
        return this.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
      }),
    ],
  });
  const find: CelEnv["funcs"]["find"] = (name) => {
    const group = env.funcs.find(name);
    return group && budgeted(name, group);
  };
  return Object.create(env, { funcs: { value: Object.create(env.funcs, { find: { value: find } }) } });
}
