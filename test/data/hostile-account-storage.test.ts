import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { connection, made, newKey, repository, signUpTides } from '../functions/users.ts';
import { connectByRole, relayTo, successful } from '../service/account-storage.ts';
import { serveInFile } from '../service/http-server.ts';
import { testService } from '../service/test-service.ts';
import { exchange } from './whole-answer.ts';

/** Storage that an account connected to attack readers, the log, and the service. */

const operations = {
  GetObject: { method: 'GET', root: 'Any' },
  HeadObject: { method: 'HEAD', root: 'Any' },
  PutObject: { method: 'PUT', body: 'x', root: 'Any' },
  ListObjectsV2: { method: 'GET', root: 'ListBucketResult' },
  CopyObject: { method: 'PUT', root: 'CopyObjectResult' },
  CompleteMultipartUpload: {
    method: 'POST',
    query: { uploadId: 'u' },
    body: '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"e"</ETag></Part></CompleteMultipartUpload>',
    root: 'CompleteMultipartUploadResult',
  },
};
type Operation = keyof typeof operations;
const names = Object.keys(operations) as Operation[];

/** A request that the hostile storage has received, and the root element of a successful answer. */
interface Received {
  request: IncomingMessage;
  response: ServerResponse;
  root: string;
}
type Act = (received: Received) => unknown;

const service = await testService({ accountLoopbackEndpoints: true });
const { bucket, region, endpoint, access_key_id, secret_access_key, lent } = service.storage;
if (lent === undefined) throw new Error('the embedded storage lends no credentials');
const storedSecrets = [secret_access_key, lent.secret_access_key, lent.session_token];

/** The behavior of the storage, and its recorded traffic. Undefined while the owner proves control of the storage. */
let running: { act: Act; root: string; secrets: Set<string>; sentBytes: () => number } | undefined;

const hostileUrl = await serveInFile(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  if (running === undefined) return answerHonestly(request, body, response);
  const { authorization = '', 'x-amz-security-token': token = [] } = request.headers;
  for (const text of [authorization, signatureOf(request), token].flat()) if (text !== '') running.secrets.add(text);
  const { socket } = response;
  const [before, sentBefore] = [socket?.bytesWritten ?? 0, running.sentBytes];
  running.sentBytes = () => sentBefore() + (socket?.bytesWritten ?? 0) - before;
  await running.act({ request, response, root: running.root });
});

/** The object that proves control of the public storage. */
let marker = '';

async function answerHonestly(request: IncomingMessage, body: Buffer, response: ServerResponse) {
  const { url = '', headers } = request;
  if (headers.authorization === undefined) {
    response.statusCode = url.includes('list-type') || url === `/${bucket}/${marker}` ? 200 : 404;
    return response.end('<ListBucketResult><Contents><Key>_public/a</Key></Contents></ListBucketResult>');
  }
  return relayTo(endpoint, request, body, response);
}

const { ada } = await signUpTides(service);

/** Connects the hostile storage with stored credentials, or without any. */
async function connect(id: string, authentication: object | undefined) {
  const details = { provider: 's3', bucket, base_prefix: `_${id}/`, region, endpoint: hostileUrl };
  const body = connection(id, { details, authentication, read_only: authentication === undefined });
  const { body: draft } = await made(ada('POST', '/accounts/tides/data-connections', body));
  marker = draft.marker_key;
  const access = authentication === undefined ? 'read' : 'read_write';
  await made(ada('POST', `/data-connections/${id}/test`, { access }));
}

await connect('by-key', { type: 's3_access_key', access_key_id, secret_access_key });
const byRole = { account_id: 'tides', data_connection_id: 'by-role', endpoint: hostileUrl };
await connectByRole(service, successful(ada), byRole);
await connect('public', undefined);
for (const id of ['by-key', 'by-role', 'public']) {
  await made(ada('POST', '/repositories/tides', repository(id, { data_connection_id: id })));
}
const repositoriesFor = (operation: Operation) =>
  ['GetObject', 'HeadObject', 'ListObjectsV2'].includes(operation)
    ? ['by-key', 'by-role', 'public']
    : ['by-key', 'by-role'];
const { credentials } = await newKey(service, ada, '/accounts/ada');

/** Sends a request. Returns undefined if the connection breaks during the response. */
function ask(operation: Operation, id: string) {
  const { root: _, ...request } = operations[operation];
  const object = { ...request, path: `/tides/${id}/object` };
  const list = { ...request, path: '/tides', query: { 'list-type': '2', prefix: `${id}/` } };
  const copy = { ...object, headers: { 'x-amz-copy-source': `/tides/${id}/source` } };
  const sent = operation === 'ListObjectsV2' ? list : operation === 'CopyObject' ? copy : object;
  const signer = { ...credentials, signedAt: service.services.clock() };
  return exchange(service.dataUrl, sent, signer).catch(() => undefined);
}

/** No client response and no log line may contain this text. */
const mark = 'HOSTILE';
const metadataUrl = `http://169.254.169.254/latest/meta-data/${mark}`;

const answer =
  (status: number, headers: OutgoingHttpHeaders, body: string | ((received: Received) => string)): Act =>
  (received) => {
    const text = typeof body === 'string' ? body : body(received);
    received.response.writeHead(status, headers).end(received.request.method === 'HEAD' ? undefined : text);
  };
const error = (status: number, code: string | ((request: IncomingMessage) => string)): Act =>
  answer(status, {}, ({ request }) => {
    const text = typeof code === 'string' ? code : code(request);
    return `<Error><Code>${text}</Code><Message>${mark} ${text}</Message></Error>`;
  });
const credentialsOf = ({ headers }: IncomingMessage) => `${headers.authorization} ${headers['x-amz-security-token']}`;
function signatureOf({ headers }: IncomingMessage): string {
  return /Signature=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? '';
}
/** Sends raw bytes, because Node's HTTP server would refuse to send them. */
const raw =
  (text: string): Act =>
  ({ response }) =>
    response.socket?.end(Buffer.from(text, 'latin1'));
const withHeader = (header: string) => raw(`HTTP/1.1 200 OK\r\ncontent-length: 0\r\n${header}\r\n\r\n`);
const endless =
  (status: number): Act =>
  async ({ request, response }) => {
    response.writeHead(status);
    if (request.method === 'HEAD') return response.end();
    const chunk = Buffer.alloc(64 * 1024, `<a>${mark}</a>`);
    while (!response.destroyed) {
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  };
const success =
  (content: string) =>
  ({ root }: Received) =>
    `<${root}><ETag>"other"</ETag>${content}</${root}>`;
const bomb = `<!DOCTYPE a [<!ENTITY b "${mark.repeat(10)}"><!ENTITY c "${'&b;'.repeat(10)}">]>`;
const outside = ['_by-key/tides/by-keys/', 'by-role/tides/b/', '_public/tides/', '../', '/', '']
  .map((prefix) => `<Key>${prefix}${mark}</Key>`)
  .map((key) => `<Contents>${key}<Size>1</Size></Contents><CommonPrefixes>${key}</CommonPrefixes>${key}`)
  .join('');
const oddHeaders = {
  'set-cookie': `a=${mark}; Domain=localhost`,
  location: metadataUrl,
  'content-security-policy': `report-uri ${metadataUrl}`,
  'strict-transport-security': `max-age=0; ${mark}`,
  'access-control-allow-credentials': mark,
  'clear-site-data': `"${mark}"`,
  refresh: `0; url=${metadataUrl}`,
  link: `<${metadataUrl}>; rel=preload`,
  'x-amz-request-id': mark,
  'x-amz-website-redirect-location': metadataUrl,
  server: mark,
};

type Status = number | 'broken off';
type Statuses = Partial<Record<Operation, Status | undefined>>;
/**
 * The expected statuses, for operations whose response streams and for operations whose response the function reads.
 */
const statuses = (streamed: Status, read: Status): Statuses => ({
  ...{ GetObject: streamed, HeadObject: streamed, PutObject: streamed },
  ...{ ListObjectsV2: read, CopyObject: read, CompleteMultipartUpload: read },
});
const broken = statuses(500, 500);
const unreadable = statuses(502, 503);

const rows: Record<string, readonly [act: Act, statuses: Statuses]> = {
  'redirects to a metadata address': [answer(301, { location: metadataUrl }, mark), broken],
  'redirects for now to a metadata address': [answer(307, { location: metadataUrl }, mark), broken],
  'sends an endless error': [endless(500), broken],
  'sends an endless 404': [endless(404), { ...broken, GetObject: 404, HeadObject: 404 }],
  // The function sees only the head of a response to an upload.
  'sends an endless success': [endless(200), { ...statuses(200, 500), GetObject: undefined }],
  'sends less than the length of its body': [
    raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'),
    { ...statuses(200, 503), GetObject: 'broken off' },
  ],
  'sends more than the length of its body': [
    raw(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n ${mark}`),
    statuses(200, 500),
  ],
  'sends two lengths': [withHeader('content-length: 9'), unreadable],
  'sends a second response': [
    raw(`HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n${mark}`),
    statuses(403, 403),
  ],
  'sends odd headers with a success': [answer(200, oddHeaders, success('')), statuses(200, 200)],
  'sends odd headers with an error': [answer(403, oddHeaders, mark), statuses(403, 403)],
  'sends control characters in a header': [withHeader(`x-amz-meta-a: \u0001\u001b[31m${mark}`), unreadable],
  'sends a bare carriage return in a header': [withHeader(`x-amz-meta-a: a\rset-cookie: ${mark}`), unreadable],
  'sends headers of 210 KB': [withHeader(`x-amz-meta-a: ${mark}\r\n`.repeat(10_000)), unreadable],
  'returns the credentials with a redirect': [error(301, credentialsOf), broken],
  'returns the credentials with a 401': [error(401, credentialsOf), broken],
  'returns the signature with a redirect': [error(307, signatureOf), broken],
  'returns the credentials inside a success': [error(200, credentialsOf), statuses(200, 500)],
  'sends a long error code': [error(301, mark.repeat(1000)), broken],
  'sends an error code with a line break': [error(301, `A&#xa;${mark}`), broken],
  'sends an error with a document type': [answer(301, {}, `${bomb}<Error><Code>&c;</Code></Error>`), broken],
  'sends a document type': [
    answer(200, {}, (received) => bomb + success('&c;'.repeat(1000))(received)),
    statuses(200, 500),
  ],
  'sends a million elements': [answer(200, {}, success('<a/>'.repeat(1_000_000))), statuses(200, 500)],
  'answers for another key': [answer(200, { etag: '"other"' }, success(outside)), statuses(200, 200)],
};
const cases = Object.entries(rows).flatMap(([title, [act, expected]]) =>
  names.filter((name) => expected[name] !== undefined).map((name) => ({ title, act, name, status: expected[name] })),
);

/** All headers of responses, except those that begin with `access-control-`. */
const allowedHeaders = `accept-ranges cache-control connection content-length content-security-policy content-type date
  etag keep-alive retry-after transfer-encoding vary x-amz-cf-id x-amz-request-id x-cache x-content-type-options`.split(
  /\s+/,
);

describe('storage of an account', () => {
  test.each(cases)('that $title causes $status for $name and shows no secret', async ({ act, name, status }) => {
    for (const id of repositoriesFor(name)) {
      // The result of the check for a missing bucket is cached for at most 30 seconds.
      service.advance(31);
      service.logged.length = 0;
      const secrets = new Set([...storedSecrets, mark, '169.254']);
      const traffic = { act, root: operations[name].root, secrets, sentBytes: () => 0 };
      running = traffic;
      const shown = await ask(name, id);
      expect(shown?.status ?? 'broken off', id).toBe(status);
      // An object consists of any bytes that the owner of the storage wants readers to get.
      const isObject = name === 'GetObject' && status === 200;
      const texts = [isObject ? { ...shown, body: '' } : (shown ?? ''), service.logged].map((value) =>
        inspect(value, { depth: 8, maxStringLength: null, maxArrayLength: null }),
      );
      for (const text of texts) {
        for (const secret of secrets) expect(text).not.toContain(secret);
        expect(text.length).toBeLessThan(20_000);
      }
      const headers = Object.keys(shown?.headers ?? {}).filter((header) => !header.startsWith('access-control-'));
      expect(allowedHeaders).toEqual(expect.arrayContaining(headers));
      expect(traffic.sentBytes()).toBeLessThan(24 * 1024 * 1024);
    }
  });

  test('that sends an endless object stops when the reader leaves', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const act: Act = (received) => {
      received.response.once('close', resolve);
      return endless(200)(received);
    };
    running = { act, root: '', secrets: new Set(), sentBytes: () => 0 };
    const reader = new AbortController();
    const { body } = await fetch(`${service.dataUrl}/tides/by-key/object`, { signal: reader.signal });
    await body?.getReader().read();
    reader.abort();
    await closed;
    expect(running.sentBytes()).toBeLessThan(24 * 1024 * 1024);
  });
});
