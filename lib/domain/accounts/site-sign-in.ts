/** The settings for sign-in on the site, with the origins that its pages may reach for it. */
export interface SiteSignIn {
  /** The `iss` claim, compared exactly. */
  issuer: string;
  /** The ID of the site's public client. */
  client_id: string;
  /** Origins of requests by scripts: the discovery document, the token, userinfo, and revocation endpoints. */
  connect_origins: readonly string[];
  /** Origins to which the browser navigates to sign in and to sign out. */
  navigation_origins: readonly string[];
}

/** Returns undefined without sign-in. Throws `unavailable` while the client or the issuer cannot be read. */
export type FindSiteSignIn = () => Promise<SiteSignIn | undefined>;

/** Paths to which the user issuer redirects. The issuer compares the full URLs exactly. */

/** The sign-in callback, below the origin of the site. */
export const siteCallbackPath = '/-/sign-in/callback';

/** The target after a user signed out. */
export const signedOutPath = '/';

/** Callback URLs of command lines, which use the first free port. They are below the ephemeral ports. */
export const commandLineCallbacks: readonly string[] = [28461, 28462, 28463].map(
  (port) => `http://localhost:${port}/callback`,
);
