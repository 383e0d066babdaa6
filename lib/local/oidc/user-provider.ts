import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JWK } from 'jose';
import { type AdapterPayload, type Configuration, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { commandLineCallbacks, signedOutPath, siteCallbackPath } from '../../domain/accounts/site-sign-in.ts';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../domain/time.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { readBody } from '../web-server.ts';
import { ProviderStore } from './provider-store.ts';
import { parseSubject } from './requested-claims.ts';
import { createSignInPages, type KnownUser, type SiteLook } from './sign-in-pages.tsx';

export interface UserClientIds {
  /** The ID of the site's client. The management API accepts tokens that are issued to this client. */
  site: string;
  /** The ID of the client for tools. The credential exchange accepts tokens that are issued to this client. */
  data: string;
}

export interface UserProviderOptions {
  issuer: string;
  clientIds: UserClientIds;
  /** The private key of the issuer. */
  jwk: JWK;
  users: readonly KnownUser[];
  /**
   * Returns the origins of the site and of other web apps. Redirects to these origins and their calls to the token
   * endpoint are allowed.
   */
  siteOrigins: () => readonly string[];
  /** The site's name and color, which the pages show. */
  site: SiteLook;
  clock: Clock;
  report: (failure: unknown) => void;
}

const formBytesMax = 4096;

type SignInPages = ReturnType<typeof createSignInPages>;

/** Answers a request for a path of the issuer. */
export type UserProvider = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Creates the OpenID Connect provider for users. It supports the authorization code flow with PKCE for two public
 * clients, rotating refresh tokens, revocation, and logout. On the sign-in page, users choose who they are.
 * Access tokens are JWTs whose audience is the client's ID. Their times follow `clock`. The times of ID tokens follow
 * the machine's clock, because the service never reads them.
 */
export function createUserProvider(options: UserProviderOptions): UserProvider {
  const pages = createSignInPages(options.site);
  const mount = new URL(options.issuer).pathname;
  const store = new ProviderStore(options.clock, (clientId) => findClient(options, clientId));
  const provider = new Provider(options.issuer, {
    ...protocolSettings(options),
    ...tokenSettings(options),
    adapter: (model) => store.adapter(model),
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      names: { session: 'sluice_session', interaction: 'sluice_sign_in', resume: 'sluice_resume' },
      // Limit the cookie to the issuer's path. Cookies ignore ports, so without a path the API and the data proxy would
      // receive the cookie.
      long: { httpOnly: true, sameSite: 'lax', signed: true, path: mount },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    features: features(options, pages),
    formats: {
      customizers: {
        jwt: (_context, _token, parts) => {
          const ahead = store.aheadSeconds();
          const { iat, exp } = parts.payload;
          if (typeof iat === 'number') parts.payload['iat'] = iat + ahead;
          if (typeof exp === 'number') parts.payload['exp'] = exp + ahead;
        },
      },
    },
    findAccount: async (_context, sub, token) => ({
      accountId: sub,
      claims: async () => ({ sub, ...(token !== undefined && { sid: await sessionIdOf(provider, token) }) }),
    }),
    interactions: { url: async (_context, { uid }) => `${mount}/sign-in/${uid}` },
    renderError: (context, { error, error_description }) => show(context, pages.failurePage(error, error_description)),
  });
  provider.use(async (context, next) => {
    await next();
    // The response to a revocation has an empty body. Remove its content type, so that client libraries do not try to
    // parse the body.
    if (context.oidc?.route === 'revocation' && context.status === 200) context.remove('content-type');
  });
  provider.on('server_error', (_context, error) => options.report(error));

  const answerProtocol = provider.callback();
  return async (request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith(`${mount}/sign-in/`)) {
      // The provider library finds the route by `url`, and builds its own URL from `originalUrl`.
      Object.assign(request, { originalUrl: path, url: path.slice(mount.length) });
      return answerProtocol(request, response);
    }
    try {
      return await signIn(provider, pages, options.users, request, response);
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error;
      const sentence = 'This sign-in has expired or was started in another browser.';
      return send(response, 400, pages.failurePage('sign-in', sentence));
    }
  };
}

function findClient({ clientIds, siteOrigins }: UserProviderOptions, clientId: string): AdapterPayload | undefined {
  const shared = {
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid',
  } as const;
  // The client must not have the type `native`. A native client could redirect to any port of this machine, but a
  // deployment allows only three URLs.
  if (clientId === clientIds.data)
    return { ...shared, client_name: 'your tools', redirect_uris: [...commandLineCallbacks] };
  if (clientId !== clientIds.site) return undefined;
  const below = (path: string) => siteOrigins().map((origin) => `${origin}${path}`);
  return {
    ...shared,
    client_name: 'the site',
    redirect_uris: below(siteCallbackPath),
    post_logout_redirect_uris: below(signedOutPath),
  };
}

function protocolSettings({ jwk, clientIds, siteOrigins }: UserProviderOptions): Configuration {
  return {
    jwks: { keys: [{ ...jwk, alg: 'RS256', use: 'sig' }] },
    responseTypes: ['code'],
    scopes: ['openid'],
    claims: { openid: ['sub', 'sid'] },
    pkce: { required: () => true },
    clientDefaults: { id_token_signed_response_alg: 'RS256' },
    routes: {
      // Use the same paths as an Amazon Cognito user pool.
      authorization: '/oauth2/authorize',
      token: '/oauth2/token',
      revocation: '/oauth2/revoke',
      end_session: '/logout',
      jwks: '/jwks',
    },
    clientBasedCORS: (_context, origin, client) => client.clientId === clientIds.site && siteOrigins().includes(origin),
  };
}

function tokenSettings(options: UserProviderOptions): Configuration {
  return {
    ttl: {
      AccessToken: (_context, _token, client) => tokenLifeSeconds(options, client.clientId),
      AuthorizationCode: 60,
      IdToken: limits.siteTokenLifeSeconds,
      Interaction: 3600,
      Session: limits.signedInSeconds,
      Grant: limits.signedInSeconds,
      RefreshToken: (context) => context.oidc.entities.RotatedRefreshToken?.remainingTTL ?? limits.signedInSeconds,
    },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    extraTokenClaims: async () => ({ token_use: 'access' }),
    // Grant access without a consent page, because both clients belong to the service.
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new context.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid');
      grant.addResourceScope(resourceOf(client.clientId), 'openid');
      await grant.save();
      return grant;
    },
  };
}

function features(options: UserProviderOptions, pages: SignInPages): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context, client) => resourceOf(client.clientId),
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource, client) => {
        if (resource !== resourceOf(client.clientId)) throw new errors.InvalidTarget();
        return {
          scope: 'openid',
          audience: client.clientId,
          accessTokenFormat: 'jwt',
          accessTokenTTL: tokenLifeSeconds(options, client.clientId),
          jwt: { sign: { alg: 'RS256' } },
        };
      },
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (context, form) => {
        const { session, client } = context.oidc;
        const back = session?.state?.['postLogoutRedirectUri'];
        const mustConfirm = !isConfirmed(context.oidc);
        const page = { form, back: typeof back === 'string' ? back : undefined, of: client?.clientName, mustConfirm };
        show(context, pages.signOutPage(page));
      },
      postLogoutSuccessSource: (context) => show(context, pages.signedOutPage()),
    },
  };
}

/**
 * Returns the ID that a token contains for the browser session of its client. Returns undefined when the session has
 * ended.
 */
async function sessionIdOf(
  provider: Provider,
  { sessionUid, clientId }: { sessionUid?: string | undefined; clientId?: string | undefined },
) {
  const session = sessionUid === undefined ? undefined : await provider.Session.findByUid(sessionUid);
  return clientId === undefined ? undefined : session?.sidFor(clientId);
}

function resourceOf(clientId: string): string {
  return `urn:sluice:${clientId}`;
}

function tokenLifeSeconds({ clientIds }: UserProviderOptions, clientId: string): number {
  return clientId === clientIds.data ? limits.dataTokenLifeSeconds : limits.siteTokenLifeSeconds;
}

async function signIn(
  provider: Provider,
  pages: SignInPages,
  users: readonly KnownUser[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const client = await provider.Client.find(String(params['client_id']));
  if (request.method !== 'POST')
    return send(response, 200, pages.signInPage(client?.clientName ?? '', users, String(params['redirect_uri'])));
  const form = new URLSearchParams((await readBody(request, formBytesMax))?.toString('utf8'));
  const sub = parseSubject(form.get('sub')?.trim());
  const result =
    form.has('cancel') || sub === undefined
      ? { error: 'access_denied', error_description: 'The user did not sign in.' }
      : { login: { accountId: sub, remember: true } };
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/**
 * Returns true if the session's client itself requests the logout, so that the user need not confirm it. Any web page
 * can send a browser to this URL. A page without the user's ID token and without the client's session ID must not end
 * the session unless the user confirms (RP-Initiated Logout 1.0, sections 2 and 6).
 */
function isConfirmed({ session, client, params, entities }: KoaContextWithOIDC['oidc']): boolean {
  const token = entities.IdTokenHint?.payload;
  if (token !== undefined) return token['sub'] === session?.accountId;
  const sid = client === undefined ? undefined : session?.authorizations?.[client.clientId]?.sid;
  const hint = params?.['logout_hint'];
  return sid !== undefined && typeof hint === 'string' && isSame(hint, sid);
}

function isSame(text: string, secret: string): boolean {
  const [one, other] = [Buffer.from(text), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function show(context: KoaContextWithOIDC, page: HtmlPage): void {
  context.type = 'html';
  context.set(page.headers);
  context.body = page.html;
}

function send(response: ServerResponse, status: number, page: HtmlPage): void {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...page.headers };
  response.writeHead(status, headers).end(page.html);
}
