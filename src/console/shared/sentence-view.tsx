import { nameOf } from "./endpoint-name";
import { count } from "./format";
import { linkTo } from "./location";
import { Countdown, Time } from "./parts";
import type { Sentence, SentencePart } from "./sentence";
import { now } from "./server-clock";
import { visible } from "./visible-text";

/** Shows sentences, with links to what they name. */
export function Sentences({ sentences }: { sentences: readonly Sentence[] }) {
  return (
    <>
      {sentences.map((sentence, index) => (
        // A sentence has no identity but its place.
        <span key={index}>
          {index > 0 && " "}
          {sentence.map((part, place) => (
            <Part key={place} part={part} />
          ))}
        </span>
      ))}
    </>
  );
}

function Part({ part }: { part: SentencePart }) {
  if (typeof part === "string") return <>{visible(part)}</>;
  switch (part.is) {
    case "strong":
      return <strong>{visible(part.text)}</strong>;
    case "time":
      return <Time at={part.at} />;
    case "next":
      return (
        <>
          {Date.parse(part.until) > now.value && "in "}
          <strong>
            <Countdown until={part.until} ring={false} />
          </strong>
        </>
      );
    case "delivery":
      return (
        <a class="link num" href={linkTo(`/console/deliveries/${part.id}`)}>
          #{count(part.sequence)}
        </a>
      );
    case "endpoint":
      return (
        <a class="link" href={linkTo(`/console/endpoints/${part.endpoint.id}`)}>
          {visible(nameOf(part.endpoint))}
        </a>
      );
  }
}
