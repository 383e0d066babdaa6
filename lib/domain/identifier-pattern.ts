/**
 * Specification, "Identifier rule": lower-case letters, digits, and single hyphens that are not at the ends. The length
 * has its own limits. The viewer functions import this file.
 */
export const identifierPattern = /^[a-z0-9](?:(?!--)[a-z0-9-])*[a-z0-9]$/;
