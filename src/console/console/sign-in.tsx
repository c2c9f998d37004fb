import { useState } from "preact/hooks";
import { HermodError } from "../shared/api";
import { Icon } from "../shared/icon";
import { params } from "../shared/location";
import { problemText } from "../shared/parts";
import { Brand } from "./brand";
import { signIn, signOnUrl } from "./session";

/** The reasons for which a single sign-on failed. */
const OIDC_PROBLEMS: Readonly<Record<string, string>> = {
  oidc_unreachable:
    "The identity provider can't be reached. Try again in a minute, or use an API key. Hermod's log has the reason.",
  oidc_failed:
    "The identity provider did not confirm the sign-in. Try again. If it happens again, Hermod's log has the reason.",
  oidc_no_role: "You have no role in Hermod. Ask who runs it to give you one at the identity provider.",
  oidc_expired:
    "The sign-in took longer than ten minutes, or the browser kept no cookie. Try again; it needs https or localhost.",
};

/** The cookie with the identity provider's words about a sign-in that it refused. */
const SAID_COOKIE = /(?:^|; )(?:__Host-|__Secure-)?hermod-oidc-said(?:-\d+)?=([^;]*)/;

/** Returns why the single sign-on failed, with the provider's words; null if none did. */
function signOnProblem(): string | null {
  const problem = OIDC_PROBLEMS[params.value.get("error") ?? ""];
  if (problem === undefined) return null;
  const said = SAID_COOKIE.exec(document.cookie)?.[1];
  return said === undefined ? problem : `${problem} It answered: ${decodeURIComponent(said)}`;
}

/** Shown in place of a page, so that its filters remain after the sign-in. */
export function SignIn() {
  const [problem, setProblem] = useState<string | null>(signOnProblem);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const input = form.elements.namedItem("key") as HTMLInputElement;
    setBusy(true);
    setProblem(null);
    try {
      await signIn(input.value.trim());
    } catch (error) {
      setProblem(refusalText(error));
      setBusy(false);
      input.select();
    }
  };
  return (
    <main class="sign-in" id="main">
      <form onSubmit={submit}>
        <Brand />
        <h1>Sign in</h1>
        <p class="dim">
          Paste an API key of the account. Hermod exchanges it for a session of this browser; the page forgets
          the key.
        </p>
        <KeyField problem={problem} />
        <button type="submit" class="btn pri wide" disabled={isBusy}>
          Sign in
        </button>
        {document.documentElement.dataset.oidc !== undefined && (
          <a class="btn wide" href={signOnUrl()} target="_self">
            Sign in with single sign-on
          </a>
        )}
        <p class="meta">
          Started with <code>bun start</code>? Its key is in the banner that it printed.
        </p>
      </form>
    </main>
  );
}

function KeyField({ problem }: { problem: string | null }) {
  return (
    <>
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        class="input mono"
        placeholder="hmd_…"
        required
        autocomplete="off"
        spellcheck={false}
        autofocus
        aria-describedby={problem ? "problem" : undefined}
        aria-invalid={problem !== null}
      />
      {problem && (
        <p class="field-problem" id="problem" role="alert">
          <Icon name="alert" small />
          {problem}
        </p>
      )}
    </>
  );
}

function refusalText(error: unknown): string {
  if (error instanceof HermodError && error.status === 401)
    return "This key is not valid, or no longer active.";
  if (error instanceof HermodError && error.status === 429)
    return `Too many tries. Wait ${error.retryAfter ?? 60} seconds.`;
  if (error instanceof HermodError && error.status === 404) return "This Hermod does not offer sessions.";
  return problemText(error);
}
