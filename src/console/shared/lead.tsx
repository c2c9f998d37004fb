import type { ComponentChildren } from "preact";

type LeadProps = {
  title: ComponentChildren;
  /** Before the title, such as the way back. */
  before?: ComponentChildren;
  /** Behind the title, such as a pill. */
  state?: ComponentChildren;
  /** What the page shows, in a sentence. */
  intro?: ComponentChildren;
  /** A line of facts, such as ids. */
  under?: ComponentChildren;
  /** True if the page has a title above it. */
  isPart?: boolean;
  /** The actions. */
  children?: ComponentChildren;
};

/** The head of a page: its title with its state, the facts under it, and the actions beside it. */
export function Lead({ title, before, state, intro, under, isPart = false, children }: LeadProps) {
  const Heading = isPart ? "h2" : "h1";
  return (
    <div class="lead">
      <div class="grow">
        <div class="row wrap">
          {before}
          <Heading>{title}</Heading>
          {state}
        </div>
        {intro && <p>{intro}</p>}
        {under && <div class="row wrap under">{under}</div>}
      </div>
      {children && <div class="row wrap actions">{children}</div>}
    </div>
  );
}
