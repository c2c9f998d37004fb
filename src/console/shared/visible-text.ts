/** Invisible characters that change text: controls, directions, joiners, private marks. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udfff]/gu;

/** Writes hidden characters as `\u202e`, so that a payload or a name can't pretend to be other text. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) =>
    found === "\r" ? "" : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Most characters of a payload or an answer that a page shows at first. */
export const SHOWN = 65_536;
