/** The schema is refused. The message follows the name of the field. */
export class SchemaProblem extends Error {}
