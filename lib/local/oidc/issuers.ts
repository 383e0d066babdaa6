import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../domain/limits.ts';
import type { RandomSource } from '../../domain/random.ts';
import { defaultSite, type Site } from '../../domain/site.ts';
import type { Clock } from '../../domain/time.ts';
import { listenOnLoopback } from '../ports.ts';
import { createWebServer, isLoopbackHost, misdirectedSentence } from '../web-server.ts';
import { parseCiClaims } from './ci-claims.ts';
import type { KnownPerson, PeopleClientIds, PeopleProvider } from './people-provider.ts';
import { parsePersonClaims } from './person-claims.ts';
import { type IssuerSigningKey, openSigningKey } from './signing-key.ts';

export interface IdentityIssuers {
  url: string;
  people: { issuer: string; client_id: string; data_client_id: string; jwks_uri: string };
  ci: { issuer: string; jwks_uri: string };
  close(): Promise<void>;
}

const clientIds: PeopleClientIds = { site: 'sluice-local', data: 'sluice-local-data' };
const ciTokenSeconds = 300;
const requestBytesMax = 64 * 1024;

interface Shown {
  status: number;
  body: unknown;
  /** Allows scripts of any origin. */
  isPublic?: boolean;
}

/**
 * Starts two OpenID Connect issuers on 127.0.0.1: one for users, and one that answers like GitHub's. They sign any
 * token on request, so only this machine may reach them.
 *
 * Users sign in on a page (authorization code with PKCE). Scripts request a token for any identity. One key signs both
 * kinds.
 */
export async function startIdentityIssuers({
  port,
  clock,
  random,
  directory,
  people = [],
  siteOrigins = () => [],
  site = defaultSite,
  report = () => undefined,
}: {
  /** 0 picks a free port. */
  port: number;
  clock: Clock;
  random?: Pick<RandomSource, 'uuid'>;
  /** Folder that stores the keys between starts. */
  directory?: string;
  /** Identities on the sign-in page. */
  people?: readonly KnownPerson[];
  /** Origins that users return to after sign-in. */
  siteOrigins?: () => readonly string[];
  /** Name and colour of the site, for the pages. */
  site?: Pick<Site, 'name' | 'accent'>;
  /** Reports failures within the provider. */
  report?: (failure: unknown) => void;
}): Promise<IdentityIssuers> {
  const [peopleKey, ciKey] = await Promise.all([openSigningKey('people', directory), openSigningKey('ci', directory)]);
  const newTokenId = () => random?.uuid() ?? randomUUID();
  const seconds = () => Math.floor(clock() / 1000);
  let url = '';

  const routes: Record<string, (request: IncomingMessage, query: URLSearchParams) => Shown | Promise<Shown>> = {
    'GET /health': () => ({ status: 200, body: { status: 'ok' } }),
    'GET /people/jwks': () => keySet(peopleKey),
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
      const person = parsePersonClaims(await readBody(request));
      if (!person.ok) return refused(400, person.message);
      const issued_at = seconds();
      const { audience = clientIds.site } = person;
      const expires_in = audience === clientIds.data ? limits.dataTokenLifeSeconds : limits.siteTokenLifeSeconds;
      const token = await peopleKey.sign({
        ...person.claims,
        iss: `${url}/people`,
        aud: audience,
        iat: issued_at,
        exp: issued_at + expires_in,
        jti: newTokenId(),
      });
      return { status: 200, body: { token, token_type: 'Bearer', expires_in } };
    },
    'GET /ci/token': async (_, query) => {
      const run = parseCiClaims(query);
      if (!run.ok) return refused(400, run.message);
      const issued_at = seconds();
      const value = await ciKey.sign({
        ...run.claims,
        iss: `${url}/ci`,
        aud: run.audience,
        iat: issued_at,
        nbf: issued_at - ciTokenSeconds,
        exp: issued_at + ciTokenSeconds,
        jti: newTokenId(),
      });
      return { status: 200, body: { value } };
    },
  };

  let provider: Promise<PeopleProvider> | undefined;
  // Loading takes 0.2 s. Only users of the pages and of the whole discovery document pay for it.
  const loadProvider = async (): Promise<PeopleProvider> => {
    const { createPeopleProvider } = await import('./people-provider.ts');
    const issuer = `${url}/people`;
    return createPeopleProvider({
      issuer,
      clientIds,
      jwk: peopleKey.private,
      people,
      siteOrigins,
      site,
      clock,
      report,
    });
  };

  const server = createWebServer(undefined, {}, (request, response) => {
    answer(request, response)
      .catch((error: unknown) =>
        error instanceof TooLarge ? refused(413, `The body must be at most ${requestBytesMax} bytes.`) : failed(error),
      )
      .then((shown) => {
        if (shown === 'answered') return;
        const { status, body, isPublic } = shown;
        // The rest of a refused upload is not read.
        if (status === 413) response.setHeader('connection', 'close');
        if (isPublic) response.setHeader('access-control-allow-origin', '*');
        response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
        response.end(JSON.stringify(body));
      });
  });

  function failed(error: unknown): Shown {
    report(error);
    return refused(500, 'The local issuer failed.');
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<Shown | 'answered'> {
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
    return offered.length > 0
      ? refused(405, `Use ${offered.join(' or ')}.`)
      : refused(
          404,
          'Unknown path. Use POST /people/token or GET /ci/token, or /.well-known/openid-configuration of an issuer.',
        );
  }

  url = `http://127.0.0.1:${await listenOnLoopback(server, port, 'SLUICE_IDENTITY_PORT')}`;
  return {
    url,
    people: {
      issuer: `${url}/people`,
      client_id: clientIds.site,
      data_client_id: clientIds.data,
      jwks_uri: `${url}/people/jwks`,
    },
    ci: { issuer: `${url}/ci`, jwks_uri: `${url}/ci/jwks` },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function keySet(key: IssuerSigningKey): Shown {
  return { status: 200, body: { keys: [key.published] }, isPublic: true };
}

class TooLarge extends Error {}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > requestBytesMax) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refused(status: number, message: string): Shown {
  return { status, body: { message } };
}
