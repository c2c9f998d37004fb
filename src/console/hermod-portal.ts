/**
 * The element `<hermod-portal src="…">` embeds the portal in another page. `src` is the `url` of a portal session that the page's
 * server made. The element has the height of its content, and emits `ready`, `navigate` and `expired`. On `expired` set a new
 * `src`.
 */
class HermodPortal extends HTMLElement {
  static readonly observedAttributes = ["src"];
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

  attributeChangedCallback(): void {
    if (this.isConnected) this.load();
  }

  /** Opens the link, in a new frame or in the frame of an ended session. */
  private load(): void {
    const src = this.getAttribute("src");
    if (src === null || src === this.opened) return;
    this.opened = src;
    if (this.frame) {
      this.frame.contentWindow?.postMessage({ type: "hermod:session", url: src }, new URL(src).origin);
      return;
    }
    const frame = document.createElement("iframe");
    frame.title = this.getAttribute("label") ?? "Webhooks";
    frame.style.cssText = "display:block;width:100%;height:480px;border:0;color-scheme:normal";
    frame.src = src;
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
    else if (data?.type === "hermod:ready") say("ready");
    else if (data?.type === "hermod:navigate") say("navigate", { path: String(data.path) });
    else if (data?.type === "hermod:session-expired") say("expired");
  }
}

if (!customElements.get("hermod-portal")) customElements.define("hermod-portal", HermodPortal);
