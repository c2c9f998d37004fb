/** Which part of a list to read. */
export type PageRequest<Key> = {
  /** Most items to return. */
  limit: number;
  /** The key of the last item of the previous page; undefined for the first page. */
  beyond?: Key | undefined;
};
