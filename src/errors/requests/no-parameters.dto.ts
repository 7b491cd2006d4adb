/** The query of an address that takes no parameter: whatever is sent is refused by name. */
export class NoParameters {}
