import { type OperationSpec, specOf } from "../../src/api/openapi/operation";
import type { Permission } from "../../src/domain/permission";
import { apiRoutes } from "./service";

/** Identifiers of the right shape that nothing has. */
export const ABSENT = {
  endpoint: "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
  event: "evt_01k9x3v5q8e7bt2m4n6p8r0000",
  delivery: "wh_01k9x3v5q8e7bt2m4n6p8r0s2t",
  account: "acc_01k9x3v5q8e7bt2m4n6p8r0s2t",
  job: "job_01k9x3v5q8e7bt2m4n6p8r0s2t",
  key: "key_01k9x3v5q8e7bt2m4n6p8r0s2t",
} as const;

/** An operation, with a path at which nothing is. */
export type Route = Readonly<{
  method: string;
  path: string;
  /** The path in the document's form. */
  template: string;
  /** The permissions that it needs of a key. */
  needed: readonly Permission[];
  spec: OperationSpec;
}>;

/** Every operation under /v1, by its declaration. */
export const ROUTES: readonly Route[] = apiRoutes().flatMap(({ method, path, hooks }) => {
  const spec = specOf(hooks?.detail);
  return spec ? [routeOf(method, path.replace(/^\/v1/, ""), spec)] : [];
});

function routeOf(method: string, path: string, spec: OperationSpec): Route {
  const { permission, ofAllAccounts } = spec;
  return {
    method,
    path: path.replaceAll(/:(\w+)/g, (_, name) => spec.path?.[name]?.example ?? name) + refusedQuery(spec),
    template: path.replaceAll(/:(\w+)/g, "{$1}"),
    needed: [...(permission ? [permission] : []), ...(ofAllAccounts ? (["accounts:act"] as const) : [])],
    spec,
  };
}

/** A parameter that is refused, for an operation whose answer would have no end otherwise. */
function refusedQuery({ success }: OperationSpec): string {
  return [success].flat().some((each) => "stream" in each) ? "?none=1" : "";
}

/** A route's name in a table of tests. */
export function nameOf({ method, template }: Route): string {
  return `${method} ${template}`;
}
