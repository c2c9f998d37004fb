import type { Bundle } from "./bundle";

/** The theme in the page's own cookie. Without one the browser's preference applies. */
export type ColourTheme = "light" | "dark" | null;

const THEME_COOKIE = /(?:^|;\s*)hermod-theme=(light|dark)(?:;|$)/;

/** Reads the theme. A script would set it after the first paint, and the content policy forbids an inline script. */
export function themeOf({ headers }: Request): ColourTheme {
  return (THEME_COOKIE.exec(headers.get("cookie") ?? "")?.[1] as "light" | "dark" | undefined) ?? null;
}

export type ShellPage = Readonly<{
  name: "console" | "portal";
  title: string;
  /** True if people can sign in with an identity provider. */
  hasOidc: boolean;
}>;

/** Returns the page's HTML, which its program fills. */
export function htmlOf({ entries }: Bundle, { name, title, hasOidc }: ShellPage, theme: ColourTheme): string {
  const asset = (file: string) => `/${name}/assets/${file}`;
  const fonts =
    name === "console"
      ? `<link rel="preload" href="${asset("inter-v4.woff2")}" as="font" type="font/woff2" crossorigin>\n`
      : "";
  return `<!doctype html>
<html lang="en"${theme === null ? "" : ` data-theme="${theme}"`}${hasOidc ? " data-oidc" : ""}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${asset("icon-v1.svg")}" type="image/svg+xml">
${fonts}<link rel="stylesheet" href="${asset(entries[`${name}.css`])}">
<script type="module" src="${asset(entries[`${name}.js`])}"></script>
</head>
<body>
<div id="app"><noscript>This page needs JavaScript.</noscript></div>
</body>
</html>
`;
}
