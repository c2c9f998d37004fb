import { params, setParams } from "../shared/location";

/** Searches a list on its page. The text is in the URL. */
export function SearchField({ label, example }: { label: string; example: string }) {
  return (
    <input
      class="input search-field"
      type="search"
      placeholder={example}
      aria-label={label}
      value={params.value.get("q") ?? ""}
      onInput={(event) => setParams({ q: event.currentTarget.value })}
    />
  );
}

/** Returns the text that is searched, in small letters. */
export function searchedText(): string {
  return (params.value.get("q") ?? "").toLowerCase();
}
