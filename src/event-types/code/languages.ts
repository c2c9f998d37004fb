/** The languages in which types for payloads are written. */
export const CODE_LANGUAGES = ["ts", "python", "go", "java"] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];
