/** What the site needs to sign people in, and what its pages may reach for it. */
export interface SiteSignIn {
  /** The `iss` claim, to the letter. */
  issuer: string;
  /** Of the site's public client. */
  client_id: string;
  /** Origins that scripts ask: of the discovery document, of tokens, of the person's claims, of revoking a token. */
  connect_origins: readonly string[];
  /** Origins that a person is led to: of signing in and of signing out. */
  navigation_origins: readonly string[];
}

/** Undefined where the site signs nobody in. Throws ServiceError `unavailable` while its client or the issuer cannot be asked for. */
export type FindSiteSignIn = () => Promise<SiteSignIn | undefined>;
