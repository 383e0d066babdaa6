import { citationFormatNames } from '../../../lib/domain/citation/formats.ts';
import { gatewayRoutes } from '../../../lib/local/functions.ts';
import type { Operation } from '../../../lib/operations/operation.ts';
import { pages } from '../../../lib/operations/pages.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { previewKinds } from '../../../lib/pages/site/previews/kinds.tsx';
import { scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import type { OperationName } from '../../../lib/s3/operations.ts';
import { everyOperation } from '../../data/every-operation.ts';
import { comparedKeys } from './hostile-data.ts';
import {
  hostileBodies,
  hostileHeaders,
  hostileQueries,
  hostileTokens,
  largestBody,
  type Part,
  withPart,
} from './hostile-requests.ts';
import { hostileLists, impossibleLists } from './hostile-storage.ts';
import { hostileMarkdown, hostileTexts } from './hostile-texts.ts';
import type { SentRequest } from './service-process.ts';

/** The content of storage during a request. */
export interface StoredContent {
  file?: Uint8Array;
  list?: (prefix: string, keysMax: number) => string;
}

export interface HostileRequest {
  name: string;
  request: SentRequest;
  stored?: StoredContent;
}

/** A row of the table: one route, or one kind of file on the page of a repository. */
export interface PublicRoute {
  name: string;
  requests: () => HostileRequest[];
}

const isOpen = ({ permission }: Operation) => permission.kind === 'anyone' || permission.kind === 'reading';
const operations: readonly Operation[] = [...registry, ...pages];
const routesOf = (operation: Operation) => gatewayRoutes.filter(({ name }) => name === operation.name);

/** Values of path parameters. They name existing resources, so that no request ends early with a 404. */
const named: Readonly<Record<string, string>> = { '{account_id}': 'hermit', '{repository_id}': 'gauges' };

function sentTo(route: { method: string; path: string }): SentRequest {
  const path = route.path === '$default' ? '/nothing/here' : route.path;
  const method = route.method === 'ANY' ? 'POST' : route.method;
  return { to: 'site', method, path: path.replaceAll(/\{[a-z_]+\+?\}/g, (name) => named[name] ?? 'hermit') };
}

function withParts(request: SentRequest, parts: Readonly<Record<string, Part>>, label = ''): HostileRequest[] {
  return Object.entries(parts).map(([name, part]) => ({ name: `${label}${name}`, request: withPart(request, part) }));
}

const get = (path: string): SentRequest => ({ to: 'site', method: 'GET', path });
const revocations = '/api/v1/service-account-keys/revocations';

/** Additional requests for some operations. */
const ownRequests: Readonly<Record<string, () => HostileRequest[]>> = {
  'show-repository': () => [
    ...Object.entries({ ...hostileLists, ...impossibleLists }).map(([name, list]) => {
      return { name, request: get('/hermit/gauges'), stored: { list } };
    }),
    ...Object.entries(hostileMarkdown).map(([name, text]) => ({
      name: `README of ${name}`,
      request: get('/hermit/gauges/a/'),
      stored: { file: Buffer.from(text(256 * 1024)), list: () => hostileReadmeList },
    })),
  ],
  'show-versions': () =>
    Object.keys(comparedKeys).map((kind) => ({
      name: `a difference of ${kind} keys`,
      request: get(`/-/versions/hermit/gauges?version=${kind}-b&compare=${kind}-a`),
    })),
  'get-version-citation': () =>
    citationFormatNames.map((format) => ({
      name: `a citation as ${format}`,
      request: get(`/api/v1/repositories/hermit/gauges/versions/long-a/citation?format=${format}`),
    })),
  'list-catalogue': () => [
    { name: 'the longest page', request: get('/api/v1/repositories?limit=1000') },
    { name: 'the longest page of a search', request: get('/api/v1/repositories?tag=a&limit=1000') },
  ],
  'list-account-repositories': () => [
    { name: 'the longest page', request: get('/api/v1/repositories/publisher?limit=1000') },
  ],
  'get-sitemap': () => [{ name: 'the longest part', request: get('/sitemap.xml?cursor=a-b/a-b') }],
  'show-account': () => [{ name: 'an account with the largest metadata', request: get('/publisher') }],
  'show-search': () => [{ name: 'results with the largest metadata', request: get('/-/search?tag=a') }],
  'revoke-found-keys': () =>
    ['1', '{}', '""', '"sck_a"', '{"access_key_id":"a","secret_access_key":"b"}', '{"a":1,"b":2}'].map((inside) => {
      const count = Math.floor((192 * 1024 - 20) / (inside.length + 1));
      const body = `{"keys":[${`${inside},`.repeat(count - 1)}${inside}]}`;
      return { name: `keys of ${inside}`, request: { ...post(`${revocations}/batch`), body } };
    }),
  'report-found-keys': () => [
    ...withParts(post('/api/v1/service-account-keys/reports'), hostileBodies(1024 * 1024), 'the largest body: '),
    { name: 'a body of 10 MB', request: withPart(post('/api/v1/service-account-keys/reports'), largestBody) },
  ],
};

const hostileReadmeList =
  '<ListBucketResult><Contents><Key>hermit/gauges/a/README.md</Key><Size>262144</Size></Contents></ListBucketResult>';

function post(path: string): SentRequest {
  return { to: 'site', method: 'POST', path, headers: { 'content-type': 'application/json' } };
}

/** Returns one row for each operation that callers without an identity may use. */
function openRoutes(issuer: string): PublicRoute[] {
  return operations.filter(isOpen).map((operation) => ({
    name: operation.name,
    requests: () =>
      routesOf(operation)
        .filter(({ method }) => method !== 'HEAD')
        .flatMap((route) => {
          // The requests in `ownRequests` return the lists with the longest pages.
          const request = withPart(sentTo(route), operation.kind === 'list' ? { query: 'limit=10' } : {});
          const takesBody = operation.body !== undefined || operation.signedBody !== undefined;
          const bytes = operation.bodyBytesMax ?? operation.signedBody?.bytesMax ?? 64 * 1024;
          return [
            ...withParts(request, hostileQueries, `${route.path} `),
            ...withParts(request, hostileHeaders('site', issuer), `${route.path} `),
            ...(takesBody ? withParts(request, hostileBodies(Math.min(bytes, 192 * 1024))) : []),
          ];
        })
        .concat(ownRequests[operation.name]?.() ?? []),
  }));
}

/** Returns the row for all operations that need an identity. Its requests have no valid identity. */
function closedRoutes(issuer: string): PublicRoute {
  const tokens = hostileTokens(issuer, 8600);
  const parts: Record<string, Part> = {
    'a token of an unknown key': { headers: { authorization: `Bearer ${tokens['an unknown key of its issuer']}` } },
    'a token with many claims': { headers: { authorization: `Bearer ${tokens['many claims']}` } },
    'a body without an identity': hostileBodies(64 * 1024)['nested objects'] ?? {},
  };
  const closed = operations.filter((operation) => !isOpen(operation));
  return {
    name: 'operations that need an identity',
    requests: () =>
      closed.flatMap((operation) =>
        routesOf(operation).flatMap((route) => withParts(sentTo(route), parts, `${operation.name} `)),
      ),
  };
}

/**
 * Returns the row for operations that need an identity. Its requests come from a signed-in user, because anyone can
 * sign up.
 */
function signedInRoutes(token: string): PublicRoute {
  const identity: Part = { headers: { authorization: `Bearer ${token}` } };
  const closed = operations.filter((operation) => !isOpen(operation));
  return {
    name: 'operations of a signed-in user',
    requests: () =>
      closed.flatMap((operation) =>
        routesOf(operation).flatMap((route) => {
          const request = withPart(sentTo(route), identity);
          if (operation.body !== undefined) return withParts(request, hostileBodies(60 * 1024), `${operation.name} `);
          if (operation.kind !== 'list') return [];
          return withParts(request, { 'the longest page': { query: 'limit=1000' } }, `${operation.name} `);
        }),
      ),
  };
}

/** File names, at least one for each kind of preview. The test fails for a kind without a file name. */
const fileNames = ['README.md', 'a.csv', 'a.tsv', 'zarr.json', 'a.json', 'a.geojson', 'a.txt', 'a.png', 'a.pdf'];
const scriptedNames = Object.keys(scriptedKinds).map(
  (format) => ({ stac: 'a.json', zarr: 'zarr.json' })[format] ?? `a.${format}`,
);

function fileRoutes(): PublicRoute[] {
  return previewKinds.map((kind) => {
    const names = fileNames.filter((name) => previewKinds.find(({ names }) => names.test(name)) === kind);
    if (names.length === 0) throw new Error(`no file has a name of the preview ${kind.names}`);
    const texts = { ...hostileTexts, ...(names.includes('README.md') ? hostileMarkdown : {}) };
    return {
      name: `preview of ${names[0]}`,
      requests: () =>
        names.flatMap((file) =>
          (kind.bytesRead === 0 ? [['any content', () => 'a'] as const] : Object.entries(texts)).flatMap(
            ([name, text]) =>
              // The second text is longer than the first bytes of a file that the service reads.
              (kind.bytesRead > 64 * 1024 ? [1] : [1, 1.5]).map((times) => ({
                name: `${file} ${times} ${name}`,
                request: get(`/hermit/gauges/${file}`),
                stored: { file: Buffer.from(text(kind.bytesRead * times)) },
              })),
          ),
        ),
    };
  });
}

type WithoutStorage = Exclude<
  OperationName,
  'ListBuckets' | 'HeadBucket' | 'CreateBucket' | 'GetBucketLocation' | 'CompareVersions'
>;

function edgeRoutes(issuer: string): PublicRoute[] {
  const data = (method: string, path: string): SentRequest => ({ to: 'data', method, path });
  const others: Record<Exclude<OperationName, WithoutStorage>, SentRequest> = {
    ListBuckets: data('GET', '/'),
    HeadBucket: data('HEAD', '/hermit'),
    CreateBucket: data('PUT', '/hermit'),
    GetBucketLocation: data('GET', '/hermit?location'),
    CompareVersions: data('GET', '/hermit/gauges@long-b/?compare-with=long-a'),
  };
  const ofStorage = everyOperation('hermit', 'gauges').map(({ name, method, path, query, headers, body }) => {
    const rawQuery = new URLSearchParams(query).toString();
    const target = `/hermit${path}${rawQuery === '' ? '' : `?${rawQuery}`}`;
    return [name, { ...data(method, target), headers, body }] as const;
  });
  const further = {
    'a preflight': {
      ...data('OPTIONS', '/hermit/gauges/a'),
      headers: { origin: 'https://a.example', 'access-control-request-method': 'PUT' },
    },
    'an upload by a form': data('POST', '/hermit'),
    'an unknown method': data('PATCH', '/hermit/gauges/a'),
    'the health check': data('GET', '/.health'),
    'a list of an account': data('GET', '/hermit?list-type=2'),
  };
  const all: Record<string, SentRequest> = { ...Object.fromEntries(ofStorage), ...others, ...further };
  return Object.entries(all).map(([name, request]) => ({
    name,
    requests: () => [
      ...withParts(request, { ...hostileQueries, ...hostileHeaders('data', issuer) }),
      ...(request.method === 'GET' || request.method === 'HEAD' ? [] : withParts(request, hostileBodies(1024 * 1024))),
      ...(request.method === 'GET' && /^(?:ListObjects|a list)/.test(name)
        ? Object.entries({ ...hostileLists, ...(name === 'ListObjectsV2' ? impossibleLists : {}) }).flatMap(
            ([list, document]) =>
              ['', '&encoding-type=url'].map((more) => ({
                name: `${list}${more}`,
                request: { ...request, path: request.path + more },
                stored: { list: document },
              })),
          )
        : []),
    ],
  }));
}

function exchangeRoute(issuers: readonly string[]): PublicRoute {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const form = (body: string): SentRequest => ({ to: 'data', method: 'POST', path: '/.sts', headers, body });
  const [session, arn] = ['abc', 'hermit--sync'];
  const fields = (token: string, by = session, role = arn) =>
    `Version=2011-06-15&Action=AssumeRoleWithWebIdentity&RoleSessionName=${by}&RoleArn=arn:aws:iam::${role}:role/FullAccess&WebIdentityToken=${token}`;
  const bodies = {
    'many fields': Array.from({ length: 8000 }, (_, at) => `a${at}=`).join('&'),
    'ampersands alone': '&'.repeat(65_000),
    escapes: `a=${'%41'.repeat(21_000)}`,
    pluses: `a=${'+'.repeat(65_000)}`,
    'spaces in a token': fields(`${' '.repeat(60_000)}a`),
    'colons in a role': fields('a', session, ':'.repeat(60_000)),
    'a long session name': fields('a', 'a'.repeat(60_000)),
    'a long key': fields(`sck_${'a'.repeat(60_000)}`),
    'a body of 1 MB': 'a'.repeat(1024 * 1024),
    'a body of 5 MB': 'a'.repeat(5 * 1024 * 1024),
  };
  const tabs = { ...headers, 'content-type': `application/x-www-form-urlencoded;${'\t'.repeat(14_000)}x` };
  return {
    name: 'the credential exchange',
    requests: () => [
      ...Object.entries(bodies).map(([name, body]) => ({ name, request: form(body) })),
      ...issuers.flatMap((issuer) =>
        [16_000, 60_000].flatMap((bytes) =>
          Object.entries(hostileTokens(issuer, bytes)).map(([name, token]) => ({
            name: `${bytes} ${name}`,
            request: form(fields(token)),
          })),
        ),
      ),
      { name: 'tabs in the content type', request: { ...form(fields('a')), headers: tabs } },
      ...withParts(form(fields('a')), hostileHeaders('data', issuers[0] ?? '')),
      ...withParts({ to: 'data', method: 'GET', path: '/.sts' }, hostileQueries),
    ],
  };
}

/**
 * Returns a row for every route that anyone can call. The rows come from the same registry as the routes of the
 * service.
 */
export function publicRoutes({ people, ci }: { people: string; ci: string }, userToken: string): PublicRoute[] {
  const scripted: PublicRoute = {
    name: 'previews by a script',
    requests: () =>
      scriptedNames.flatMap((file) =>
        withParts(get(`/-/preview/hermit/gauges?path=${file}`), hostileQueries, `${file} `),
      ),
  };
  return [
    ...openRoutes(people),
    closedRoutes(people),
    signedInRoutes(userToken),
    ...fileRoutes(),
    scripted,
    ...edgeRoutes(people),
    exchangeRoute([people, ci]),
    {
      name: 'files of the site',
      requests: () => withParts(get('/-/assets/a.js'), { ...hostileQueries, ...hostileHeaders('site', people) }),
    },
  ];
}
