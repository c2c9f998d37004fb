import type { Json } from "../http/client";

/** An operation of the OpenAPI document. */
export type Operation = Readonly<{ id: string; method: string; path: string; spec: Json }>;

/** The OpenAPI document as a service serves it. Tests walk over its operations, so that new ones are included. */
export class ApiDocument {
  readonly operations: readonly Operation[];

  private constructor(readonly json: Json) {
    this.operations = Object.entries<Json>(json.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, spec]) => ({
        id: spec.operationId,
        method: method.toUpperCase(),
        path,
        spec,
      })),
    );
  }

  static async of({ url }: { url: string }): Promise<ApiDocument> {
    return new ApiDocument(JSON.parse(await (await fetch(`${url}/swagger/json`)).text()));
  }

  /** Returns the target of a reference, and anything else as it is. */
  readonly target = (node: Json): Json => {
    if (typeof node?.$ref !== "string") return node;
    const steps = node.$ref.slice(2).split("/");
    return this.target(steps.reduce((at: Json, step: string) => at?.[step], this.json));
  };

  /** Returns a part of the document with the targets of all references in their places. */
  readonly resolved = (part: Json): Json => {
    const node = this.target(part);
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map(this.resolved);
    return Object.fromEntries(
      Object.entries<Json>(node).map(([name, inner]) => [name, this.resolved(inner)]),
    );
  };

  /** Returns the parameters of an operation with their references resolved. */
  parametersOf({ spec }: Operation): Json[] {
    return (spec.parameters ?? []).map(this.resolved);
  }
}
