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

/**
 * Returns undefined if the site has no sign-in. Throws ServiceError `unavailable` while the client or the issuer cannot
 * be read.
 */
export type FindSiteSignIn = () => Promise<SiteSignIn | undefined>;
