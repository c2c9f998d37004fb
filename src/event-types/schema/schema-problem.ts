/** Why a schema is refused; the message follows its name. */
export class SchemaProblem extends Error {}
