/**
 * `<hermod-portal src="…" lang="de" theme="dark">`: the portal within another page. `src` is the `url` of a portal session, made
 * by that page's server. `theme` is `light`, `dark`, `auto`, or the fields of a session's theme as JSON. All may change. The element
 * has the height of its content, and says `ready`, `navigate` and `expired`; on `expired` set a new `src`.
 */
class HermodPortal extends HTMLElement {
  static readonly observedAttributes = ["src", "lang", "theme"];
  private frame: HTMLIFrameElement | null = null;
  /** The last opened link. Each link works once. */
  private opened: string | null = null;
  private readonly listen = (event: MessageEvent) => this.received(event);

  connectedCallback(): void {
    addEventListener("message", this.listen);
    this.load();
  }

  disconnectedCallback(): void {
    removeEventListener("message", this.listen);
    this.frame?.remove();
    this.frame = null;
    this.opened = null;
  }

  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return;
    if (name === "src") this.load();
    else this.showAppearance();
  }

  /** The values of the attributes; null if absent. */
  private get appearance() {
    return { lang: this.getAttribute("lang"), theme: this.getAttribute("theme") };
  }

  private showAppearance(): void {
    this.post({ type: "hermod:appearance", ...this.appearance });
  }

  private post(message: object): void {
    if (this.opened === null) return;
    this.frame?.contentWindow?.postMessage(message, new URL(this.opened).origin);
  }

  /** Opens the link, in a new frame or in the frame of an ended session. */
  private load(): void {
    const src = this.getAttribute("src");
    if (src === null || src === this.opened) return;
    this.opened = src;
    if (this.frame) {
      this.post({ type: "hermod:session", url: src });
      return;
    }
    const frame = document.createElement("iframe");
    frame.title = this.getAttribute("label") ?? "Webhooks";
    // Otherwise a secret that is shown once could not be copied.
    frame.allow = "clipboard-write";
    frame.style.cssText = "display:block;width:100%;height:480px;border:0;color-scheme:normal";
    // With the link, so that nothing changes after the first paint.
    const given = Object.entries(this.appearance).flatMap(([name, value]) =>
      value === null ? [] : [`&${name}=${encodeURIComponent(value)}`],
    );
    frame.src = src + given.join("");
    this.frame = frame;
    this.append(frame);
  }

  private received({ source, origin, data }: MessageEvent): void {
    const { frame } = this;
    const src = this.getAttribute("src");
    if (frame === null || src === null || source !== frame.contentWindow || origin !== new URL(src).origin)
      return;
    const say = (name: string, detail?: unknown) => this.dispatchEvent(new CustomEvent(name, { detail }));
    if (data?.type === "hermod:resize" && Number.isFinite(data.height))
      frame.style.height = `${data.height}px`;
    else if (data?.type === "hermod:ready") {
      // The attributes may have changed while it loaded.
      this.showAppearance();
      say("ready");
    } else if (data?.type === "hermod:navigate") say("navigate", { path: String(data.path) });
    else if (data?.type === "hermod:session-expired") say("expired");
  }
}

if (!customElements.get("hermod-portal")) customElements.define("hermod-portal", HermodPortal);
