/** Why a schema is refused; the message goes after its name. */
export class Flaw extends Error {}
