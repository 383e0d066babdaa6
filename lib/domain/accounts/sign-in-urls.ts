/** Where the issuer of people sends them back to; it knows these to the letter. */

/** Below the origin of the site. */
export const siteCallbackPath = '/-/sign-in/callback';

/** Where the site is shown to whoever signed out. */
export const signedOutPath = '/';
