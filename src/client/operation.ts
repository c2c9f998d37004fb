import type { paths } from "./openapi.ts";

// The routes as types, taken from the service's own OpenAPI document.

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The paths that support a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: M extends keyof paths[P] ? P : never;
}[keyof paths];

export type OperationOf<M extends Method, P extends PathOf<M>> = paths[P][M & keyof paths[P]];

type JsonOf<T> = T extends { content: { "application/json": infer Value } } ? Value : never;
type Part<T, Name extends string> = Name extends keyof T ? T[Name] : never;

/** The answer of an operation's success. */
export type AnswerOf<O> = JsonOf<Part<O, "responses">[keyof Part<O, "responses"> & (200 | 201 | 202)]>;

export type BodyOf<O> = JsonOf<NonNullable<Part<O, "requestBody">>>;
export type QueryOf<O> = Flat<NonNullable<Part<Part<O, "parameters">, "query">>>;

/** Parameters with names of their own, such as `data.order_id`, in place of the map that the document has. */
type Flat<Query> = {
  [Name in keyof Query as NonNullable<Query[Name]> extends Record<string, string>
    ? `${Name & string}.${string}`
    : Name]: Query[Name] extends Record<string, string> | undefined ? string | undefined : Query[Name];
};

type PathInput<O> = O extends { parameters: { path: infer Parameters } } ? { path: Parameters } : unknown;
type QueryInput<O> = [QueryOf<O>] extends [never] ? unknown : { query?: QueryOf<O> };
type BodyInput<O> = [BodyOf<O>] extends [never]
  ? unknown
  : O extends { requestBody: object }
    ? { body: BodyOf<O> }
    : { body?: BodyOf<O> };

/** The input of an operation. */
export type InputOf<O> = PathInput<O> & QueryInput<O> & BodyInput<O>;

/** An operation's input and options as arguments. Both are optional if the input has no required part. */
export type ArgumentsOf<O, Options> =
  Record<never, never> extends InputOf<O>
    ? [input?: InputOf<O>, options?: Options]
    : [input: InputOf<O>, options?: Options];
