/** Specification, "Identifier rule", without the length. The viewer functions import this file. */
export const identifierPattern = /^[a-z0-9](?:(?!--)[a-z0-9-])*[a-z0-9]$/;
