import type { AnswerOf, BodyOf, Method, OperationOf, PathOf, QueryOf } from "./operation.ts";
import { type ItemPage, itemsOf } from "./pages.ts";
import type { PostOptions, RequestOptions, Transport } from "./transport.ts";

type AnswerAt<M extends Method, P extends PathOf<M>> = AnswerOf<OperationOf<M, P>>;
type QueryAt<P extends PathOf<"get">> = QueryOf<OperationOf<"get", P>>;
type BodyAt<M extends Method, P extends PathOf<M>> = BodyOf<OperationOf<M, P>>;
type ItemAt<P extends PathOf<"get">> = AnswerAt<"get", P> extends ItemPage<infer Each> ? Each : never;
type ItemsAt<P extends PathOf<"get">> = AsyncGenerator<ItemAt<P>, void, undefined>;

/** The ids in a path, in its order. */
type IdArgument<P> = P extends `${string}{${string}}${infer Rest}` ? [id: string, ...IdArgument<Rest>] : [];
type OptionsArgument<M extends Method> = [options?: M extends "post" ? PostOptions : RequestOptions];
/** A body is optional if all its fields are. */
type BodyArgument<B> = Record<never, never> extends B ? [body?: B] : [body: B];

type CallMethod<M extends Method, P extends PathOf<M>> = (
  ...given: [...IdArgument<P>, ...OptionsArgument<M>]
) => Promise<AnswerAt<M, P>>;
type SendMethod<M extends Method, P extends PathOf<M>> = (
  ...given: [...IdArgument<P>, ...BodyArgument<BodyAt<M, P>>, ...OptionsArgument<M>]
) => Promise<AnswerAt<M, P>>;
type FindMethod<P extends PathOf<"get">> = (
  ...given: [...IdArgument<P>, query?: Partial<QueryAt<P>>, ...OptionsArgument<"get">]
) => Promise<AnswerAt<"get", P>>;
type AllMethod<P extends PathOf<"get">> = (
  ...given: [...IdArgument<P>, query?: Partial<Omit<QueryAt<P>, "cursor">>, ...OptionsArgument<"get">]
) => ItemsAt<P>;
type EveryMethod<P extends PathOf<"get">> = (
  ...given: [...IdArgument<P>, ...OptionsArgument<"get">]
) => ItemsAt<P>;

type SplitArguments = { path?: Record<string, string>; rest: unknown[] };
type QueryAndOptions = [query?: Record<string, unknown>, options?: RequestOptions];

export type Methods = ReturnType<typeof methodsOf>;

/** Makes the client's methods, each from its route. Their arguments are the id in the path, the input, and options. */
export function methodsOf(http: Transport) {
  async function* pages(
    route: string,
    { path, rest }: SplitArguments,
  ): AsyncGenerator<unknown, void, undefined> {
    const [query, options] = rest as QueryAndOptions;
    yield* itemsOf(async (cursor) => {
      const asked = { limit: 100, ...given(query), cursor };
      return (await http.ask("get", route, { path, query: asked }, options)) as ItemPage<unknown>;
    });
  }
  return {
    http,
    /** A method without an input. */
    call<M extends Method, P extends PathOf<M>>(method: M, route: P) {
      const call = (...all: unknown[]) => {
        const { path, rest } = split(route, all);
        return http.ask(method, route, { path }, rest[0] as PostOptions);
      };
      return call as CallMethod<M, P>;
    },
    /** A method that sends a body. */
    send<M extends Method, P extends PathOf<M>>(method: M, route: P) {
      const send = (...all: unknown[]) => {
        const { path, rest } = split(route, all);
        const [body = {}, options] = rest as [body?: object, options?: PostOptions];
        return http.ask(method, route, { path, body }, options);
      };
      return send as SendMethod<M, P>;
    },
    /** A method that reads by a query. */
    find<P extends PathOf<"get">>(route: P, defaults: Partial<QueryAt<P>> = {}) {
      const find = (...all: unknown[]) => {
        const { path, rest } = split(route, all);
        const [query, options] = rest as QueryAndOptions;
        return http.ask("get", route, { path, query: { ...defaults, ...given(query) } }, options);
      };
      return find as FindMethod<P>;
    },
    /** A method that reads all pages of a list by a query, as they are needed. */
    all<P extends PathOf<"get">>(route: P) {
      return ((...all: unknown[]) => pages(route, split(route, all))) as AllMethod<P>;
    },
    /** A method that reads all pages of a list without a query, as they are needed. */
    every<P extends PathOf<"get">>(route: P) {
      const every = (...all: unknown[]) => {
        const { path, rest } = split(route, all);
        return pages(route, { path, rest: [{}, ...rest] });
      };
      return every as EveryMethod<P>;
    },
  };
}

/** Takes the path's parameters from a method's arguments. */
function split(route: string, given: readonly unknown[]): SplitArguments {
  const names = Array.from(route.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const path = Object.fromEntries(names.map((name, i) => [name, given[i] as string]));
  return { path, rest: given.slice(names.length) };
}

/** Returns the parameters that have a value, so that the others keep their defaults. */
function given(query: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}
