/** The form of an identifier, without its length limits. CloudFront's viewer functions import this file. */
export const identifierPattern = /^[a-z0-9](?:(?!--)[a-z0-9-])*[a-z0-9]$/;
