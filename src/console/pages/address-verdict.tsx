import { useEffect, useState } from "preact/hooks";
import { errorWords } from "../shared/answer";
import { call } from "../shared/api";
import { partTexts } from "../shared/texts";

/** Wait after the last key before the address is checked. */
const PAUSE_MS = 400;

type ShownVerdict = Readonly<{ error: string | null; message: string | null }>;

/** Says whether the service could connect to the address, as it is typed. Says nothing if it can't be asked. */
export function AddressVerdict({ url }: { url: string }) {
  const verdict = useVerdict(url.trim());
  const t = partTexts.value;
  return (
    <small aria-live="polite" class={verdict?.error ? "break" : undefined}>
      {verdict === null ? "" : verdict.error === null ? t.addressFound : wordsOf(verdict)}
    </small>
  );
}

function wordsOf({ error, message }: ShownVerdict): string {
  return error === "invalid_url" || error === null ? (message ?? "") : errorWords(error);
}

function useVerdict(url: string): ShownVerdict | null {
  const [verdict, setVerdict] = useState<ShownVerdict | null>(null);
  useEffect(() => {
    setVerdict(null);
    if (!/^https?:\/\/./i.test(url)) return;
    let isOutdated = false;
    const timer = setTimeout(() => {
      call("post", "/v1/endpoints/check-url", { body: { url } }).then(
        (answer) => !isOutdated && setVerdict(answer),
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [url]);
  return verdict;
}
