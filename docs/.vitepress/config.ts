import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { defineConfig, type Plugin } from "vitepress";
import { anchorOf, guides, llmsTxt, pagePaths, ROOT, titleOf } from "./pages";
import { withTabs } from "./tour";

/** Address of the repository's files, such as https://git.example.com/hermod/blob/v1.0.0. Links to files other than pages lead there. */
const SOURCE = process.env.DOCS_SOURCE ?? pathToFileURL(ROOT).href;
const PAGES = pagePaths();
const pathOf = (page: string) => page.replace(/README\.md$/, "index.md");
const itemOf = (page: string) => ({ text: titleOf(page), link: `/${pathOf(page)}` });

/** Finds Vue for the pages of the root, which would look for it among the service's packages. */
const vueOfDocs: Plugin = {
  name: "vue-of-docs",
  enforce: "pre",
  resolveId(source, importer, options) {
    if (!importer?.endsWith(".md") || !/^vue(\/|$)/.test(source)) return null;
    return this.resolve(source, fileURLToPath(import.meta.url), { ...options, skipSelf: true });
  },
};

export default defineConfig({
  title: "Hermod",
  description: "Webhook delivery in strict order, durable, signed, from one command",
  base: process.env.DOCS_BASE ?? "/",
  srcDir: ROOT,
  outDir: join(ROOT, "docs/.vitepress/dist"),
  srcExclude: ["{src,test,deploy,drizzle,dist,.ci,.github}/**", "**/node_modules/**"],
  rewrites: Object.fromEntries(PAGES.map((page) => [page, pathOf(page)])),
  markdown: {
    anchor: { slugify: anchorOf },
    config(md) {
      md.core.ruler.before("normalize", "tour", (state) => {
        state.src = withTabs(state.src);
      });
      // The pages are written for the repository: README.md is a folder's page, and other files are shown there.
      md.core.ruler.push("repository-links", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === "link_open" ? token.attrGet("href") : null;
          if (href && !/^([a-z]+:|#)/.test(href)) token.attrSet("href", hrefFrom(env.relativePath, href));
        }
      });
    },
  },
  vite: { plugins: [vueOfDocs] },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      itemOf("README.md"),
      ...guides().flatMap(({ paths }) => paths.map(itemOf)),
      {
        text: "Each decision",
        collapsed: true,
        items: PAGES.filter((page) => /^docs\/decisions\/(?!README)/.test(page)).map(itemOf),
      },
      ...["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(itemOf),
    ],
  },
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, "llms.txt"), llmsTxt());
    // The sources are served beside the pages, where llms.txt links to them.
    for (const path of PAGES) {
      mkdirSync(dirname(join(outDir, path)), { recursive: true });
      copyFileSync(join(ROOT, path), join(outDir, path));
    }
  },
});

function hrefFrom(page: string, href: string): string {
  const [path = "", anchor] = href.split("#");
  const target = posix.join(posix.dirname(page), path).replace(/\/$/, "");
  if (PAGES.includes(`${target}/README.md`)) return `${path.replace(/\/?$/, "/")}index.md`;
  if (PAGES.includes(target)) return pathOf(path) + (anchor === undefined ? "" : `#${anchor}`);
  if (!existsSync(join(ROOT, target))) throw new Error(`${page} links to ${href}, which does not exist`);
  return `${SOURCE}/${target}`;
}
