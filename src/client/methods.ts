import type { AnswerOf, BodyOf, Method, OperationOf, PathOf, QueryOf } from "./operation.ts";
import { itemsOf, type Page } from "./pages.ts";
import type { PostOptions, RequestOptions, Transport } from "./transport.ts";

type Answer<M extends Method, P extends PathOf<M>> = AnswerOf<OperationOf<M, P>>;
type Query<P extends PathOf<"get">> = QueryOf<OperationOf<"get", P>>;
type Body<M extends Method, P extends PathOf<M>> = BodyOf<OperationOf<M, P>>;
type Item<P extends PathOf<"get">> = Answer<"get", P> extends Page<infer Each> ? Each : never;
type Items<P extends PathOf<"get">> = AsyncGenerator<Item<P>, void, undefined>;

type Id<P> = P extends `${string}{${string}}${string}` ? [id: string] : [];
type Options<M extends Method> = [options?: M extends "post" ? PostOptions : RequestOptions];
/** A body is optional if all its fields are. */
type Sent<B> = Record<never, never> extends B ? [body?: B] : [body: B];

type Call<M extends Method, P extends PathOf<M>> = (
  ...given: [...Id<P>, ...Options<M>]
) => Promise<Answer<M, P>>;
type Send<M extends Method, P extends PathOf<M>> = (
  ...given: [...Id<P>, ...Sent<Body<M, P>>, ...Options<M>]
) => Promise<Answer<M, P>>;
type Find<P extends PathOf<"get">> = (
  ...given: [...Id<P>, query?: Partial<Query<P>>, ...Options<"get">]
) => Promise<Answer<"get", P>>;
type All<P extends PathOf<"get">> = (
  ...given: [...Id<P>, query?: Partial<Omit<Query<P>, "cursor">>, ...Options<"get">]
) => Items<P>;
type Every<P extends PathOf<"get">> = (...given: [...Id<P>, ...Options<"get">]) => Items<P>;

type Asked = { path?: Record<string, string>; rest: unknown[] };
type QueryAndOptions = [query?: Record<string, unknown>, options?: RequestOptions];

export type Methods = ReturnType<typeof methodsOf>;

/** Makes the client's methods, each from its route. Their arguments are the id in the path, the input, and options. */
export function methodsOf(http: Transport) {
  async function* pages(route: string, { path, rest }: Asked): AsyncGenerator<unknown, void, undefined> {
    const [query, options] = rest as QueryAndOptions;
    yield* itemsOf(async (cursor) => {
      const asked = { limit: 100, ...given(query), cursor };
      return (await http.ask("get", route, { path, query: asked }, options)) as Page<unknown>;
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
      return call as Call<M, P>;
    },
    /** A method that sends a body. */
    send<M extends Method, P extends PathOf<M>>(method: M, route: P) {
      const send = (...all: unknown[]) => {
        const { path, rest } = split(route, all);
        const [body = {}, options] = rest as [body?: object, options?: PostOptions];
        return http.ask(method, route, { path, body }, options);
      };
      return send as Send<M, P>;
    },
    /** A method that reads by a query. */
    find<P extends PathOf<"get">>(route: P, defaults: Partial<Query<P>> = {}) {
      const find = (...all: unknown[]) => {
        const { path, rest } = split(route, all);
        const [query, options] = rest as QueryAndOptions;
        return http.ask("get", route, { path, query: { ...defaults, ...given(query) } }, options);
      };
      return find as Find<P>;
    },
    /** A method that reads all pages of a list by a query, as they are needed. */
    all<P extends PathOf<"get">>(route: P) {
      return ((...all: unknown[]) => pages(route, split(route, all))) as All<P>;
    },
    /** A method that reads all pages of a list without a query, as they are needed. */
    every<P extends PathOf<"get">>(route: P) {
      const every = (...all: unknown[]) => {
        const { path, rest } = split(route, all);
        return pages(route, { path, rest: [{}, ...rest] });
      };
      return every as Every<P>;
    },
  };
}

/** Takes the path's parameter from a method's arguments. No path has two. */
function split(route: string, given: readonly unknown[]): Asked {
  const name = /\{(\w+)\}/.exec(route)?.[1];
  if (name === undefined) return { rest: [...given] };
  const [id, ...rest] = given;
  return { path: { [name]: id as string }, rest };
}

/** Returns the parameters that have a value, so that the others keep their defaults. */
function given(query: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}
