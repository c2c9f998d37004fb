import type { ComponentChildren } from "preact";

type FigureProps = {
  name: string;
  value: string;
  detail?: string;
  tone?: string;
  children?: ComponentChildren;
};

/** A number with its name and details. */
export function Figure({ name, value, detail, tone = "", children }: FigureProps) {
  return (
    <div class={tone}>
      <dt>{name}</dt>
      <dd class="num">{value}</dd>
      {detail && <dd class="meta num">{detail}</dd>}
      {children && <dd>{children}</dd>}
    </div>
  );
}
