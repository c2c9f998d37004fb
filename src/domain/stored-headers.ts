/** Headers by lower-case name; secret values are sealed. */
export type StoredHeaders = Readonly<Record<string, { value: string } | { sealed: string }>>;
