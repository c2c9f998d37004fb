import type { ComponentChildren } from "preact";
import { Problem, Skeleton } from "./parts";
import { isGone, type Resource } from "./resource";

type LoadedProps<T> = {
  resource: Resource<T> & { reload(): void };
  /** The number and the height of the grey bars. */
  bars: number;
  height?: number;
  /** Shown if the service has nothing of this name. */
  absent?: ComponentChildren;
  children(data: T): ComponentChildren;
};

/** Shows data once it is loaded. After a failed load it shows the failure above the last data. */
export function Loaded<T>({ resource, bars, height, absent, children }: LoadedProps<T>) {
  const { data, error, reload } = resource;
  if (absent !== undefined && isGone(error)) return <>{absent}</>;
  return (
    <>
      {error && <Problem error={error} retry={reload} />}
      {data === null && !error && <Skeleton rows={bars} height={height} />}
      {data !== null && children(data)}
    </>
  );
}
