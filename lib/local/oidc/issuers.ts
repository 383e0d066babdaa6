import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../domain/limits.ts';
import { defaultSite, type Site } from '../../domain/site.ts';
import type { Clock } from '../../domain/time.ts';
import { createWebServer, isLoopbackHost, misdirectedSentence, readBody, startServer } from '../web-server.ts';
import { parseCiClaims, parseUserClaims } from './requested-claims.ts';
import type { KnownUser } from './sign-in-pages.tsx';
import { type IssuerSigningKey, openSigningKey } from './signing-key.ts';
import type { UserClientIds, UserProvider } from './user-provider.ts';

export interface IdentityIssuers {
  url: string;
  people: { issuer: string; client_id: string; data_client_id: string; jwks_uri: string };
  ci: { issuer: string; jwks_uri: string };
  close(): Promise<void>;
}

const clientIds: UserClientIds = { site: 'sluice-local', data: 'sluice-local-data' };
const ciTokenSeconds = 300;
const requestBytesMax = 64 * 1024;

interface Shown {
  status: number;
  body: unknown;
  /** True when CORS allows scripts of any origin to read the response. */
  isPublic?: boolean;
}

interface IssuerOptions {
  /** The port of an issuer. 0 selects a free port. */
  port: number;
  clock: Clock;
  /** The folder in which the signing keys are stored between starts. */
  directory?: string;
  /** The users that the sign-in page offers. */
  users?: readonly KnownUser[];
  /** Returns the origins of the site and of other web apps. Users may return to these origins after sign-in. */
  siteOrigins?: () => readonly string[];
  /** The site's name and color, which the pages of the issuer show. */
  site?: Pick<Site, 'name' | 'accent'>;
  /** Called with errors inside the OpenID Connect provider. */
  report?: (failure: unknown) => void;
}

/**
 * Starts two OpenID Connect issuers on 127.0.0.1: one for users, and one that answers like GitHub's issuer. They sign
 * any token on request, so they must only be reachable from this machine.
 * Users sign in on a page (authorization code with PKCE). Scripts can request a token for any user. The same key signs
 * the tokens of both issuers.
 */
export async function startIdentityIssuers(options: IssuerOptions): Promise<IdentityIssuers> {
  const { directory, report = () => undefined } = options;
  const [userKey, ciKey] = await Promise.all([openSigningKey('people', directory), openSigningKey('ci', directory)]);
  let answer: Answer = async () => refused(503, 'The local issuer is starting.');
  const server = createWebServer(undefined, {}, (request, response) => {
    answer(request, response)
      .catch((error: unknown) => {
        report(error);
        return refused(500, 'The local issuer failed.');
      })
      .then((shown) => {
        if (shown !== 'answered') send(response, shown);
      });
  });
  const { url, close } = await startServer(server, options.port, 'SLUICE_IDENTITY_PORT');
  const routes = createRoutes({ url, userKey, ciKey, clock: options.clock });
  // Load the provider at its first use, because loading takes 0.2 s. Only requests for the sign-in pages and for the
  // complete discovery document need it.
  const loadProvider = async () => {
    const { createUserProvider } = await import('./user-provider.ts');
    const { users = [], siteOrigins = () => [], site = defaultSite, clock } = options;
    const issuer = `${url}/people`;
    return createUserProvider({
      issuer,
      clientIds,
      jwk: userKey.private,
      users,
      siteOrigins,
      site,
      clock,
      report,
    });
  };
  answer = createAnswer(routes, loadProvider);
  return {
    url,
    people: {
      issuer: `${url}/people`,
      client_id: clientIds.site,
      data_client_id: clientIds.data,
      jwks_uri: `${url}/people/jwks`,
    },
    ci: { issuer: `${url}/ci`, jwks_uri: `${url}/ci/jwks` },
    close,
  };
}

type Routes = Record<string, (request: IncomingMessage, query: URLSearchParams) => Shown | Promise<Shown>>;
type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<Shown | 'answered'>;

function createRoutes({
  url,
  userKey,
  ciKey,
  clock,
}: {
  url: string;
  userKey: IssuerSigningKey;
  ciKey: IssuerSigningKey;
  clock: Clock;
}): Routes {
  const seconds = () => Math.floor(clock() / 1000);
  return {
    'GET /health': () => ({ status: 200, body: { status: 'ok' } }),
    'GET /people/jwks': () => keySet(userKey),
    'GET /ci/jwks': () => keySet(ciKey),
    'GET /ci/.well-known/openid-configuration': () => ({
      status: 200,
      body: {
        issuer: `${url}/ci`,
        jwks_uri: `${url}/ci/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      },
    }),
    'POST /people/token': async (request) => {
      const body = await readBody(request, requestBytesMax);
      if (body === undefined) return refused(413, `The body must be at most ${requestBytesMax} bytes.`);
      const user = parseUserClaims(body.toString('utf8'));
      if (!user.ok) return refused(400, user.message);
      const { audience = clientIds.site } = user;
      const expires_in = audience === clientIds.data ? limits.dataTokenLifeSeconds : limits.siteTokenLifeSeconds;
      const iat = seconds();
      const issued = { iss: `${url}/people`, aud: audience, iat, exp: iat + expires_in, jti: randomUUID() };
      const token = await userKey.sign({ ...user.claims, ...issued });
      return { status: 200, body: { token, token_type: 'Bearer', expires_in } };
    },
    'GET /ci/token': async (_, query) => {
      const run = parseCiClaims(query);
      if (!run.ok) return refused(400, run.message);
      const iat = seconds();
      const valid = { iat, nbf: iat - ciTokenSeconds, exp: iat + ciTokenSeconds };
      const value = await ciKey.sign({
        ...run.claims,
        iss: `${url}/ci`,
        aud: run.audience,
        ...valid,
        jti: randomUUID(),
      });
      return { status: 200, body: { value } };
    },
  };
}

function createAnswer(routes: Routes, loadProvider: () => Promise<UserProvider>): Answer {
  let provider: Promise<UserProvider> | undefined;
  return async (request, response) => {
    if (!isLoopbackHost(request.headers.host)) return refused(421, misdirectedSentence);
    const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s);
    const route = routes[`${request.method} ${path}`];
    if (route !== undefined) return route(request, new URLSearchParams(query));
    if (path.startsWith('/people/') && path !== '/people/token') {
      provider ??= loadProvider();
      await (await provider)(request, response);
      return 'answered';
    }
    const offered = Object.keys(routes).filter((name) => name.endsWith(` ${path}`));
    if (offered.length > 0) return refused(405, `Use ${offered.join(' or ')}.`);
    return refused(
      404,
      'Unknown path. Use POST /people/token or GET /ci/token, or /.well-known/openid-configuration of an issuer.',
    );
  };
}

function send(response: ServerResponse, { status, body, isPublic }: Shown): void {
  // A body that is too large is not read to its end, so the connection must close after the response.
  if (status === 413) response.setHeader('connection', 'close');
  if (isPublic) response.setHeader('access-control-allow-origin', '*');
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

function keySet(key: IssuerSigningKey): Shown {
  return { status: 200, body: { keys: [key.published] }, isPublic: true };
}

function refused(status: number, message: string): Shown {
  return { status, body: { message } };
}
