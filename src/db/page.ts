/** Which part of a list is asked for. */
export type PageRequest<Key> = {
  /** Items at most. */
  limit: number;
  /** The key of the last item of the page before; undefined: the first page. */
  beyond?: Key | undefined;
};
