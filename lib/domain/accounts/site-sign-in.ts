/** The settings for sign-in on the site. The Content-Security-Policy of the site's pages allows their origins. */
export interface SiteSignIn {
  /** The `iss` claim that a token must have exactly. */
  issuer: string;
  /** The ID of the site's public client. */
  client_id: string;
  /**
   * Origins to which the site's scripts send requests: the origins of the discovery document, and of the token,
   * userinfo, and revocation endpoints.
   */
  connect_origins: readonly string[];
  /** Origins to which the browser navigates to sign in and to sign out. */
  navigation_origins: readonly string[];
}

/**
 * Returns undefined if the site has no sign-in. Throws `unavailable` while the client list or the issuer cannot be
 * read.
 */
export type FindSiteSignIn = () => Promise<SiteSignIn | undefined>;

/** Paths to which the user issuer redirects. The issuer compares the full URLs exactly. */

/** The sign-in callback, below the origin of the site. */
export const siteCallbackPath = '/-/sign-in/callback';

/** The path to which the browser returns after the user signed out. */
export const signedOutPath = '/';

/**
 * The callback URLs of command-line tools. A tool uses the first free port. The ports are below the ephemeral range, so
 * other programs seldom use them.
 */
export const commandLineCallbacks: readonly string[] = [28461, 28462, 28463].map(
  (port) => `http://localhost:${port}/callback`,
);
