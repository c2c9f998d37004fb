import { describe, expect, test } from "bun:test";
import { spreadOf } from "../../src/router/aim";
import { ROUTES } from "../http/routes";

const names = (routes: typeof ROUTES) => routes.map(({ method, template }) => `${method} ${template}`);
const declaring = (spread: string) => ROUTES.filter(({ spec }) => spec.cells === spread);
const fieldsOf = ({ spec }: (typeof ROUTES)[number]) =>
  [spec.success]
    .flat()
    .flatMap((each) => ("schema" in each ? Object.keys(each.schema.properties ?? {}) : []));

describe("each operation says what it is over cells", () => {
  test("unless it concerns one account, which its path or its token names", () => {
    const isOfInstallation = ({ template }: (typeof ROUTES)[number]) =>
      template.startsWith("/admin/") && !template.startsWith("/admin/accounts/{id}");
    const silent = ROUTES.filter((route) => isOfInstallation(route) && route.spec.cells === undefined);
    expect(names(silent)).toEqual([]);
  });

  test("in a form that the router can carry out", () => {
    for (const route of declaring("merged")) {
      expect(route.method).toBe("GET");
      expect(fieldsOf(route)).toEqual(["data", "cursor"]);
    }
    expect(names(declaring("summed"))).toEqual(["GET /admin/stats/series"]);
    expect(names(declaring("cells"))).toEqual(["GET /admin/cells"]);
    const naming = ROUTES.filter(({ spec }) => Object.hasOwn(spec.body?.schema.properties ?? {}, "account"));
    expect(names(declaring("body"))).toEqual(names(naming));
  });

  test("and the router reads the same", () => {
    for (const { method, path, template, spec } of ROUTES) {
      const { pathname } = new URL(`http://hooks.example.com/v1${path}`);
      const spread = spec.cells ?? null;
      expect([method, template, spreadOf(method, pathname)]).toEqual([method, template, spread]);
      // A HEAD is a GET without the body.
      if (method === "GET") expect([template, spreadOf("HEAD", pathname)]).toEqual([template, spread]);
    }
  });
});
