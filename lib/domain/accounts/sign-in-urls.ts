/** Paths to which the user issuer redirects. The issuer compares the full URLs exactly. */

/** The sign-in callback, below the origin of the site. */
export const siteCallbackPath = '/-/sign-in/callback';

/** The target after a user signed out. */
export const signedOutPath = '/';
