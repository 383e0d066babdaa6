import { createHash } from 'node:crypto';
import type {
  ConnectionCheck,
  ConnectionCheckName,
  ConnectionFailure,
  ConnectionOmission,
} from '../../domain/data/connection-checks.ts';
import { type DataConnection, isAwsRegion } from '../../domain/data/data-connections.ts';
import { limits } from '../../domain/limits.ts';
import type { RandomSource } from '../../domain/random.ts';
import type { Clock } from '../../domain/time.ts';
import { parseXml, readErrorCode, xmlChildren, xmlText } from '../../domain/xml.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { type StorageCall, storageRequest } from '../storage-request.ts';
import { fails, isNotTried, passes } from './messages.ts';
import { openProbe, type Probe, type ProbeAnswer, type Probed, type ResolveHost } from './probe.ts';

export interface ConnectionTester {
  resolveHost: ResolveHost;
  allowsLoopbackEndpoints: boolean;
  clock: Clock;
  random: RandomSource;
}

type Outcome =
  | { kind: 'ok' }
  | { kind: 'failed'; code: ConnectionFailure }
  | { kind: 'omitted'; code: ConnectionOmission };
const ok: Outcome = { kind: 'ok' };
const failedBy = (code: ConnectionFailure): Outcome => ({ kind: 'failed', code });
const omittedFor = (code: ConnectionOmission): Outcome => ({ kind: 'omitted', code });

/**
 * Tests the permissions of a connection's storage, one check after another. The results never repeat text of the
 * storage. `read_write` writes, reads, and deletes a small object directly below the base prefix, which no repository
 * can contain. `read` changes nothing.
 */
export async function testConnection(
  connection: DataConnection,
  access: 'read' | 'read_write',
  tester: ConnectionTester,
): Promise<ConnectionCheck[]> {
  const storage = storageOf(connection);
  const signal = AbortSignal.timeout(limits.connectionTestMs);
  const call = (one: StorageCall, from = storage) => storageRequest(from, one, tester.clock());
  const { host } = call(headOfBucket);
  const opened = await openProbe(host, {
    resolveHost: tester.resolveHost,
    allowsLoopback: tester.allowsLoopbackEndpoints,
    signal,
  });
  if (opened.kind === 'failure') return [fails('address', opened.code), ...allNotTried(afterAddress, 'earlier_failed')];
  const send: Send = (one, { body = noBody, bytesMax = limits.storageErrorBytesMax, until = signal, from } = {}) =>
    opened.probe(call(one, from), body, { signal: until, bytesMax });
  return [passes('address'), ...(await checkStorage(connection, access, storage, send, tester.random))];
}

type Send = (
  call: StorageCall,
  options?: { body?: Uint8Array; bytesMax?: number; until?: AbortSignal; from?: RepositoryStorage },
) => ReturnType<Probe>;

const noBody = new Uint8Array();
const afterAddress = ['reach', 'region', 'list', 'write', 'read', 'delete'] as const;
const objectChecks = ['list', 'write', 'read', 'delete'] as const;
const allNotTried = (checks: readonly ConnectionCheckName[], code: ConnectionOmission) =>
  checks.map((check) => isNotTried(check, code));

async function checkStorage(
  connection: DataConnection,
  access: 'read' | 'read_write',
  storage: RepositoryStorage,
  send: Send,
  random: RandomSource,
): Promise<ConnectionCheck[]> {
  const { details, authentication } = connection;
  // Unsigned, so that the response depends only on the path to the bucket.
  const head = await send(headOfBucket, { from: { ...storage, credentials: undefined } });
  const reached = reachOf(head, details.endpoint !== undefined);
  if (reached.kind !== 'ok') {
    return [toldAs('reach', reached), ...allNotTried(['region', ...objectChecks], 'earlier_failed')];
  }
  const region = details.endpoint === undefined ? regionOf(head, details.region) : undefined;
  const soFar = (told: Outcome) => [passes('reach'), regionCheck(told, head)];
  if (region?.kind === 'failed') return [...soFar(region), ...allNotTried(objectChecks, 'earlier_failed')];
  if (authentication?.type === 's3_assume_role') {
    return [...soFar(region ?? omittedFor('not_told')), ...allNotTried(objectChecks, 'role_of_the_proxy')];
  }
  const list = await listObjects(storage, send);
  const bySignature = regionBySignature(list.outcome, authentication !== undefined);
  const told = soFar(region ?? bySignature);
  if (list.outcome.kind === 'failed' && list.outcome.code === 'region_differs') {
    return [...told, toldAs('list', list.outcome), ...allNotTried(['write', 'read', 'delete'], 'earlier_failed')];
  }
  const writing = writingOmitted(connection, access);
  const rest =
    writing === undefined
      ? await writeReadDelete(storage, list.key, send, random)
      : [isNotTried('write', writing), toldAs('read', await readObject(list, send)), isNotTried('delete', writing)];
  return [...told, toldAs('list', list.outcome), ...rest];
}

/** Describes the storage of a repository whose objects are directly below the base prefix. */
function storageOf({ data_connection_id, details, authentication }: DataConnection): RepositoryStorage {
  const { base_prefix: prefix } = details;
  const credentials = authentication?.type === 's3_access_key' ? authentication : undefined;
  return { account_id: '', repository_id: '', data_connection_id, details, prefix, credentials, facts_read_at: 0 };
}

const emptyHash = createHash('sha256').digest('hex');
const empty = { query: [], headers: {}, payloadHash: emptyHash };
const headOfBucket: StorageCall = { ...empty, method: 'HEAD', key: undefined };

function reachOf(head: Probed, hasEndpoint: boolean): Outcome {
  if (head.kind === 'failure') return failedBy(head.code);
  const { status, bucketRegion } = head.answer;
  // S3 redirects to the bucket's region if the request has another one. A redirect of another store leads to another
  // host.
  if (status >= 300 && status < 400 && (hasEndpoint || bucketRegion === undefined)) return failedBy('redirected');
  // Other storage returns 404 to every unsigned request.
  if (status === 404 && !hasEndpoint) return failedBy('bucket_not_found');
  return status >= 500 ? failedBy('storage_failed') : ok;
}

function regionOf(head: Probed, region: string): Outcome {
  const found = head.kind === 'answer' ? head.answer.bucketRegion : undefined;
  if (found === undefined) return omittedFor('not_told');
  return found === region ? ok : failedBy('region_differs');
}

function regionBySignature(list: Outcome, isSigned: boolean): Outcome {
  if (!isSigned) return omittedFor('not_told');
  if (list.kind === 'ok') return ok;
  return list.kind === 'failed' && list.code === 'region_differs' ? list : omittedFor('not_told');
}

function regionCheck(told: Outcome, head: Probed): ConnectionCheck {
  const found = head.kind === 'answer' ? head.answer.bucketRegion : undefined;
  // The region is the only text of the storage that the result repeats, and only if it is the name of a region.
  const isNamed = told.kind === 'failed' && found !== undefined && isAwsRegion(found) && found.length <= 32;
  return isNamed ? fails('region', told.code, `It is in ${found}.`) : toldAs('region', told);
}

interface Listed {
  outcome: Outcome;
  /** The key, relative to the base prefix, of an object that a request can name. */
  key: string | undefined;
}

async function listObjects({ prefix }: RepositoryStorage, send: Send): Promise<Listed> {
  const query = [
    ['list-type', '2'],
    ['max-keys', '10'],
    ['prefix', prefix],
  ] as const;
  const probed = await send({ ...empty, method: 'GET', key: undefined, query });
  const refused = refusalOf(probed);
  if (refused !== undefined) {
    // A list returns 404 only if the bucket does not exist.
    const isGone = probed.kind === 'answer' && probed.answer.status === 404;
    return { outcome: isGone ? failedBy('bucket_not_found') : refused, key: undefined };
  }
  const names = probed.kind === 'answer' ? listedNames(probed.answer.text) : undefined;
  if (names === undefined || !names.every((name) => name.startsWith(prefix))) {
    return { outcome: failedBy('not_s3'), key: undefined };
  }
  const keys = names.map((name) => name.slice(prefix.length));
  return { outcome: ok, key: keys.find((key) => isReadable(prefix, key)) };
}

/** Returns true for a key that a request can name. Unusual storage may list any text as a key. */
function isReadable(prefix: string, key: string): boolean {
  const isObject = key !== '' && !key.endsWith('/') && !/(?:^|\/)\.\.?(?:\/|$)/.test(key);
  return isObject && key.isWellFormed() && Buffer.byteLength(prefix + key) <= limits.objectKeyBytesMax;
}

function listedNames(text: string): string[] | undefined {
  try {
    return xmlChildren(parseXml(text, 'ListBucketResult'), 'Contents').map((each) => xmlText(each, 'Key') ?? '');
  } catch {
    return undefined;
  }
}

async function readObject({ outcome, key }: Listed, send: Send): Promise<Outcome> {
  if (key === undefined) return omittedFor(outcome.kind === 'ok' ? 'nothing_to_read' : 'earlier_failed');
  // The headers are sufficient. The check does not use the body.
  const probed = await send({ ...empty, method: 'GET', key, headers: { range: 'bytes=0-0' } }, { bytesMax: 4096 });
  // An empty object has no first byte, so storage returns 416.
  if (probed.kind === 'answer' && [200, 206, 416].includes(probed.answer.status)) return ok;
  return refusalOf(probed) ?? ok;
}

async function writeReadDelete(
  storage: RepositoryStorage,
  listedKey: string | undefined,
  send: Send,
  random: RandomSource,
): Promise<ConnectionCheck[]> {
  const id = random.uuid();
  // The key has one segment, but every repository has two segments below the base prefix. No repository can contain the
  // object.
  const key = `_sluice-test-${id}`;
  const body = Buffer.from(`Sluice wrote this to test a data connection (${id}). It can be deleted.\n`);
  const written = await send(
    {
      method: 'PUT',
      key,
      query: [],
      headers: { 'content-type': 'text/plain', 'content-md5': createHash('md5').update(body).digest('base64') },
      payloadHash: createHash('sha256').update(body).digest('hex'),
    },
    { body },
  );
  const writing = refusalOf(written) ?? ok;
  // A refused object does not exist. After a failure or without a response, the object may exist.
  const isRefused = written.kind === 'answer' && written.answer.status >= 300 && written.answer.status < 500;
  const reading =
    writing.kind === 'ok'
      ? await readWritten(key, body, send)
      : await readObject({ outcome: writing, key: listedKey }, send);
  if (isRefused) {
    return [toldAs('write', writing), toldAs('read', reading), isNotTried('delete', 'earlier_failed')];
  }
  // The delete has its own time limit, so that the test removes its object from slow storage too.
  const until = AbortSignal.timeout(limits.connectionTestRequestMs);
  const deleting = refusalOf(await send({ ...empty, method: 'DELETE', key }, { until })) ?? ok;
  const left = `The object ${storage.prefix}${key} may be left in the bucket; delete it there.`;
  return [
    toldAs('write', writing),
    toldAs('read', reading),
    deleting.kind === 'failed' ? fails('delete', deleting.code, left) : toldAs('delete', deleting),
  ];
}

async function readWritten(key: string, body: Buffer, send: Send): Promise<Outcome> {
  const probed = await send({ ...empty, method: 'GET', key });
  const refused = refusalOf(probed);
  if (refused !== undefined) return refused;
  return probed.kind === 'answer' && probed.answer.text === body.toString('utf8') ? ok : failedBy('content_differs');
}

function writingOmitted(
  { read_only }: Pick<DataConnection, 'read_only'>,
  access: 'read' | 'read_write',
): ConnectionOmission | undefined {
  if (read_only) return 'read_only';
  return access === 'read' ? 'not_asked' : undefined;
}

function toldAs(check: ConnectionCheckName, outcome: Outcome): ConnectionCheck {
  if (outcome.kind === 'ok') return passes(check);
  return outcome.kind === 'failed' ? fails(check, outcome.code) : isNotTried(check, outcome.code);
}

/** Returns the refusal in a response, or undefined for a complete and successful response. */
function refusalOf(probed: Probed): Outcome | undefined {
  if (probed.kind === 'failure') return failedBy(probed.code);
  const { status, isWhole } = probed.answer;
  if (status >= 200 && status < 300) return isWhole ? undefined : failedBy('answer_too_large');
  return byCode(probed.answer) ?? failedBy(byStatus(status));
}

/** S3 error codes (API reference, "Error responses"). For other codes, the status decides. */
const outcomes: Readonly<Record<string, Outcome>> = {
  AccessDenied: failedBy('access_denied'),
  AllAccessDisabled: failedBy('access_denied'),
  AuthorizationHeaderMalformed: failedBy('region_differs'),
  ExpiredToken: failedBy('credentials_refused'),
  IllegalLocationConstraintException: failedBy('region_differs'),
  InvalidAccessKeyId: failedBy('credentials_refused'),
  InvalidObjectState: omittedFor('nothing_to_read'),
  InvalidSecurity: failedBy('credentials_refused'),
  InvalidToken: failedBy('credentials_refused'),
  NoSuchBucket: failedBy('bucket_not_found'),
  PermanentRedirect: failedBy('region_differs'),
  SignatureDoesNotMatch: failedBy('credentials_refused'),
};

function byCode({ text }: ProbeAnswer): Outcome | undefined {
  const code = readErrorCode(text);
  return code !== undefined && Object.hasOwn(outcomes, code) ? outcomes[code] : undefined;
}

function byStatus(status: number): ConnectionFailure {
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 401) return 'credentials_refused';
  return status === 403 ? 'access_denied' : 'storage_failed';
}
