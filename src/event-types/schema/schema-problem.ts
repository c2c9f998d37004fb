/** The schema is refused. The message follows the name of the field. */
export class SchemaProblem extends Error {}

/** The schema is too large or deep to check whole. */
export class TooLarge extends SchemaProblem {}
