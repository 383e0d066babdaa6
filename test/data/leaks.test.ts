import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { emptyBucket } from '../../lib/local/embedded-storage.ts';
import { repository } from '../functions/users.ts';
import { connectByRole, relayTo, successful } from '../service/account-storage.ts';
import { seededService } from '../service/seeded-service.ts';
import { everyOperation, type OperationCase } from './every-operation.ts';
import {
  errorDocument,
  leakyHeaders,
  mark,
  names,
  type Script,
  startLeakyStorage,
  successDocument,
} from './leaky-storage.ts';
import { Bucket, repositoryOn } from './listing-fixture.ts';
import { exchange, type WholeAnswer } from './whole-answer.ts';

const [service, storage] = await Promise.all([seededService({ accountLoopbackEndpoints: true }), startLeakyStorage()]);
afterAll(() => storage.close());
const { bucket, base_prefix, region, access_key_id, secret_access_key } = names;
const details = { bucket, base_prefix, region, endpoint: storage.url };
const signer = await repositoryOn(service, 'far-away', details, { access_key_id, secret_access_key });

/** The same storage, connected by an account with a role. */
const data_connection_id = 'leaky-role';
const ada = successful(await service.user('ada'));
storage.script = (...received) => void relayTo(service.storage.endpoint, ...received);
await connectByRole(service, ada, { account_id: Bucket, data_connection_id, endpoint: storage.url });
await ada('POST', `/repositories/${Bucket}`, repository('by-role', { data_connection_id }));

const basePrefixes = { 'far-away': names.base_prefix, 'by-role': `${data_connection_id}/` };
const operations = Object.entries(basePrefixes).flatMap(([id, basePrefix]) =>
  everyOperation(Bucket, id).map((operation) => {
    return { ...operation, id, storageKey: `${basePrefix}${Bucket}/${id}/object` };
  }),
);
type Case = (typeof operations)[number];
/** Bytes from the storage by a role that contain no storage name. */
const unmarked = [emptyBucket, ...Object.values(service.storage.lent ?? {})];
const relayed = operations.filter(({ relayedRoot }) => relayedRoot !== undefined);
const forwarded = operations.filter(({ relayedRoot }) => relayedRoot === undefined);

async function ask({ method, path, ...rest }: Case, script: Script, options = signer): Promise<WholeAnswer> {
  storage.script = script;
  const answer = await exchange(service.dataUrl, { method, path: `/tide-institute${path}`, ...rest }, options);
  expect(JSON.stringify(answer)).not.toMatch(mark);
  for (const text of [new URL(storage.url).port, ...unmarked]) expect(JSON.stringify(answer)).not.toContain(text);
  return answer;
}

function answerWith(status: number, body: string, headers: Record<string, string> = {}): Script {
  return (request, _body, response) => {
    response.writeHead(status, 'Leaky Reason', { 'content-type': 'application/xml', ...leakyHeaders, ...headers });
    response.end(request.method === 'HEAD' || status === 304 ? undefined : body);
  };
}

const codeOf = ({ body }: WholeAnswer) => /<Code>(\w+)<\/Code>/.exec(body)?.[1];

/** Expects a refusal that an S3 client can read. */
function expectRefusal(answer: WholeAnswer, { method, name }: OperationCase, expected: Shown) {
  const shown = method === 'HEAD' ? [answer.status, answer.body] : [answer.status, codeOf(answer)];
  expect(shown, name).toEqual(method === 'HEAD' ? [expected[0], ''] : expected);
  expect(answer.headers['content-type']).toBe('application/xml');
  expect(answer.headers['x-amz-request-id']).toMatch(/^[\w-]{20,}$/);
}

test.each(operations)('the success of $name shows no data about the storage, in $id', async (operation) => {
  const script: Script = (request, _body, response) => {
    response.writeEarlyHints({ link: '</leaky>; rel=preload' });
    response.writeHead(200, 'Leaky Reason', {
      ...leakyHeaders,
      ...(request.method === 'HEAD' ? {} : { trailer: 'x-leaky-trailer' }),
      'content-type': 'application/x-own',
      etag: '"e"',
    });
    if (request.method !== 'HEAD' && operation.relayedRoot) {
      response.write(successDocument(operation.relayedRoot, operation.storageKey));
    } else if (request.method === 'GET') response.write('the object');
    else if (request.method !== 'HEAD') response.write('<Leaky/>');
    if (request.method !== 'HEAD') response.addTrailers({ 'x-leaky-trailer': 'leaky' });
    response.end();
  };
  const answer = await ask(operation, script);
  expect(answer).toMatchObject({ status: 200, reason: 'OK', early: [], trailers: [] });
  if (operation.relayedRoot === '') {
    expect(answer.headers['content-type']).toBeUndefined();
    expect(answer.body).toBe('');
  } else if (operation.relayedRoot === undefined) {
    const isRead = operation.method === 'GET' || operation.method === 'HEAD';
    expect(answer.headers).toMatchObject({ etag: '"e"' });
    expect(answer.headers['content-type']).toBe(isRead ? 'application/x-own' : undefined);
    expect(answer.body).toBe(operation.method === 'GET' ? 'the object' : '');
  } else {
    expect(answer.headers['content-type']).toBe('application/xml');
    expect(answer.body).toContain(`<${operation.relayedRoot} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`);
  }
});

test('the answer to a repeated completion shows no data about the storage', async () => {
  const [complete] = operations.filter(({ name }) => name === 'CompleteMultipartUpload');
  if (complete === undefined) throw new Error('not in the table');
  const part = createHash('md5').update('x').digest();
  const body = complete.body?.replace('"e"', part.toString('hex')) ?? '';
  const etag = `"${createHash('md5').update(part).digest('hex')}-1"`;
  const answer = await ask({ ...complete, body }, (request, _body, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { ...leakyHeaders, etag }).end();
    else response.writeHead(404, leakyHeaders).end(errorDocument('NoSuchUpload'));
  });
  expect(answer.status).toBe(200);
  expect(answer.body).toContain(etag.slice(1, -1));
});

test.each([
  ['is streamed when it is the current one', 'v', 200, 'the object'],
  ['is refused when it is an older one', 'leaky-version', 403, '<Code>AccessDenied</Code>'],
])('a version %s for a reader, and the answer does not name the storage', async (_, current, status, text) => {
  const path = '/tide-institute/far-away/object';
  storage.script = (request, _body, response) => {
    response.writeHead(200, { ...leakyHeaders, 'x-amz-version-id': request.method === 'HEAD' ? current : 'v' });
    response.end(request.method === 'HEAD' ? undefined : 'the object');
  };
  const answer = await exchange(service.dataUrl, { method: 'GET', path, query: { versionId: 'v' } });
  expect(answer.status).toBe(status);
  expect(answer.body).toContain(text);
  expect(JSON.stringify(answer)).not.toMatch(mark);
});

test('a list shows only names of the repository', async () => {
  const [list] = operations.filter(({ name }) => name === 'ListObjectsV2');
  if (list === undefined) throw new Error('not in the table');
  const { body } = await ask(list, answerWith(200, successDocument('ListBucketResult', list.storageKey)));
  expect(body.match(/<Key>.*?<\/Key>|<Prefix>.*?<\/Prefix>/g)).toEqual([
    '<Prefix>far-away/</Prefix>',
    '<Key>far-away/object</Key>',
    '<Prefix>far-away/object/</Prefix>',
  ]);
});

/**
 * Error codes of S3 that a client must distinguish (API reference, "Error responses"). The proxy does not change them.
 */
const keptCodes = Object.entries({
  400: `BadDigest EntityTooLarge EntityTooSmall IncompleteBody InvalidArgument InvalidDigest InvalidPart
    InvalidPartOrder InvalidRequest InvalidStorageClass InvalidTag KeyTooLongError MalformedXML MetadataTooLarge RequestTimeout
    XAmzContentChecksumMismatch XAmzContentSHA256Mismatch`,
  403: 'AccessDenied InvalidObjectState',
  404: 'NoSuchKey NoSuchUpload NoSuchVersion',
  405: 'MethodNotAllowed',
  409: 'ConditionalRequestConflict OperationAborted',
  411: 'MissingContentLength',
  412: 'PreconditionFailed',
  416: 'InvalidPartNumber InvalidRange',
  500: 'InternalError',
  501: 'NotImplemented',
  503: 'ServiceUnavailable SlowDown',
}).flatMap(([status, codes]) => codes.split(/\s+/).map((code) => [code, Number(status)] as const));

type Shown = [status: number, code: string];
const internalError: Shown = [500, 'InternalError'];
const credentialsRefused: Shown = [503, 'StorageCredentialsRefused'];
const codesOf = (status: number, codes: string, shown: Shown) =>
  codes.split(/\s+/).map((code) => [code, status, shown] as const);

/**
 * Error codes about the storage itself: its bucket, its region, or the connection's credentials. The client did not
 * cause these errors.
 */
const storageCodes = [
  ...codesOf(301, 'PermanentRedirect', internalError),
  ...codesOf(307, 'Redirect TemporaryRedirect', internalError),
  ...codesOf(400, 'AuthorizationHeaderMalformed InvalidBucketName', internalError),
  ...codesOf(400, 'ExpiredToken InvalidToken', credentialsRefused),
  ...codesOf(400, 'IllegalLocationConstraintException', internalError),
  ...codesOf(404, 'NoSuchBucket NoSuchAccessPoint', internalError),
  ...codesOf(403, 'InvalidAccessKeyId InvalidSecurity SignatureDoesNotMatch', credentialsRefused),
  ...codesOf(403, 'AccountProblem AllAccessDisabled NotSignedUp RequestTimeTooSkewed', [403, 'AccessDenied']),
  ...codesOf(409, 'BucketNotEmpty', [409, 'InvalidRequest']),
  ...codesOf(503, 'Busy', [503, 'SlowDown']),
  ...codesOf(509, 'BandwidthLimitExceeded', internalError),
  ...codesOf(418, 'SomethingLeaky', internalError),
];

describe('an error of storage to an operation that our code answers', () => {
  test.each(keptCodes)('%s (%i) is not changed', async (code, status) => {
    for (const operation of relayed) {
      const answer = await ask(operation, answerWith(status, errorDocument(code)));
      expectRefusal(answer, operation, [status, code]);
    }
  });

  test.each(storageCodes)('%s (%i) becomes %j', async (code, status, shown) => {
    for (const operation of relayed) {
      const answer = await ask(operation, answerWith(status, errorDocument(code)));
      expectRefusal(answer, operation, shown);
    }
  });

  test('inside an answer of 200 becomes an error', async () => {
    for (const operation of relayed) {
      const late = await ask(operation, answerWith(200, `  \n ${errorDocument('SlowDown')}`));
      expectRefusal(late, operation, [503, 'SlowDown']);
      const unknown = await ask(operation, answerWith(200, errorDocument('NoSuchBucket')));
      expectRefusal(unknown, operation, internalError);
    }
  });

  test.each([
    ['an empty body', ''],
    ['an HTML page', `<!DOCTYPE html><html><body>${names.host}</body></html>`],
    ['another document', `<LeakyResult><Bucket>${names.bucket}</Bucket></LeakyResult>`],
    ['a truncated document', `<?xml version="1.0"?><ListBucketResult><Name>${names.bucket}</Name>`],
    ['JSON', JSON.stringify(names)],
    ['a truncated error', `<Error><Code>NoSuchBucket</Code><BucketName>${names.bucket}`],
  ])('%s in place of the document is an internal error', async (_, body) => {
    for (const operation of relayed) {
      expectRefusal(await ask(operation, answerWith(502, body)), operation, internalError);
      // Some operations have no response document. The proxy then omits the unexpected body.
      const inPlace = await ask(operation, answerWith(200, body));
      if (operation.relayedRoot === '' && !body.startsWith('<Error>')) expect(inPlace.status).toBe(200);
      else expectRefusal(inPlace, operation, internalError);
    }
  });
});

describe('an error of storage to an operation that streams', () => {
  /** Results that depend only on the status, because the function cannot read the body. */
  const byStatus = new Map<number, Shown>([
    [304, [304, '']],
    [400, [400, 'InvalidRequest']],
    [403, [403, 'AccessDenied']],
    [405, [405, 'MethodNotAllowed']],
    [408, [400, 'RequestTimeout']],
    [409, [409, 'InvalidRequest']],
    [411, [411, 'MissingContentLength']],
    [412, [412, 'PreconditionFailed']],
    [413, [400, 'EntityTooLarge']],
    [416, [416, 'InvalidRange']],
    [429, [503, 'SlowDown']],
    [501, [501, 'NotImplemented']],
    [503, [503, 'SlowDown']],
  ]);
  /** The meaning of the statuses 404 and 400 depends on the request. */
  const byRequest: Record<string, Shown> = {
    '400 GetObject of a version': [400, 'InvalidArgument'],
    '400 HeadObject of a version': [400, 'InvalidArgument'],
    '404 GetObject': [404, 'NoSuchKey'],
    '404 GetObject with a range': [404, 'NoSuchKey'],
    '404 GetObject of a version': [404, 'NoSuchVersion'],
    '404 HeadObject': [404, 'NoSuchKey'],
    '404 HeadObject of a version': [404, 'NoSuchVersion'],
    '404 PutObject': [500, 'InternalError'],
    '404 DeleteObject': [404, 'NoSuchKey'],
    '404 UploadPart': [404, 'NoSuchUpload'],
    '404 AbortMultipartUpload': [404, 'NoSuchUpload'],
  };
  const statuses = [301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414];
  const furtherStatuses = [415, 416, 417, 418, 421, 422, 429, 431, 451, 500, 501, 502, 503, 504, 505, 507, 509, 511];

  test.each([...statuses, ...furtherStatuses])('with status %i gets the message of the service', async (status) => {
    for (const operation of forwarded) {
      const expected = byRequest[`${status} ${operation.name}`] ?? byStatus.get(status) ?? internalError;
      for (const [body, headers] of [
        [errorDocument('AccessDenied'), {}],
        [`<html>${names.host}</html>`, { 'content-type': 'text/html; leaky', 'content-language': 'leaky' }],
        ['', { 'content-type': 'leaky/leaky', 'content-disposition': 'leaky' }],
      ] as const) {
        const answer = await ask(operation, answerWith(status, body, { ...(status === 304 ? {} : headers) }));
        if (status === 304) expect([answer.status, answer.body]).toEqual([304, '']);
        else expectRefusal(answer, operation, expected);
      }
    }
  });
});

describe('a storage that fails', () => {
  test.each<[string, Script]>([
    ['by ending the connection', (request) => request.socket.destroy()],
    ['by answering in another protocol', (request) => request.socket.end('LEAKY leaky-bucket\r\n\r\n')],
    ['by sending an invalid header', (request) => request.socket.end('HTTP/1.1 200 OK\r\nleaky bucket\r\n\r\n')],
  ])('%s causes an error without its names', async (_, script) => {
    for (const operation of operations) {
      const answer = await ask(operation, script);
      expect(answer.status, operation.name).toBeGreaterThanOrEqual(500);
      if (operation.method !== 'HEAD') expect(codeOf(answer)).toBeDefined();
    }
  });

  test('with a redirect shows no name to an anonymous caller', async () => {
    const [get] = operations;
    if (get === undefined) throw new Error('no operation');
    storage.script = answerWith(301, errorDocument('PermanentRedirect'));
    const answer = await exchange(service.dataUrl, { method: 'GET', path: `/tide-institute${get.path}` });
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer)).not.toMatch(mark);
  });
});

test('the answer includes the Via header of storage, which functions cannot remove', async () => {
  const [get] = operations;
  if (get === undefined) throw new Error('no operation');
  storage.script = answerWith(200, 'x', { via: '1.1 varnish' });
  const answer = await exchange(service.dataUrl, { method: 'GET', path: `/tide-institute${get.path}` }, signer);
  expect(answer.headers['via']).toContain('1.1 varnish');
});
