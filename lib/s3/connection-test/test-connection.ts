import { createHash } from 'node:crypto';
import {
  type ConnectionCheck,
  type ConnectionCheckName,
  type ConnectionFailure,
  type ConnectionOmission,
  checkMessages,
  connectionCheckNames,
  connectionFailures,
} from '../../domain/data/connection-checks.ts';
import { markerName } from '../../domain/data/connection-drafts.ts';
import {
  type DataConnection,
  type DataConnectionRecord,
  isAwsRegion,
  type WebIdentityAuthentication,
} from '../../domain/data/data-connections.ts';
import { type AssumeRole, roleRequest } from '../../domain/data/role-requests.ts';
import { isRoleRefusal, outcomeOfErrorCode } from '../../domain/data/storage-faults.ts';
import { strangeSubject } from '../../domain/data/web-identity.ts';
import { limits } from '../../domain/limits.ts';
import type { RandomSource } from '../../domain/random.ts';
import type { Clock } from '../../domain/time.ts';
import { parseXml, readErrorCode, xmlChildren, xmlText } from '../../domain/xml.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { type StorageCall, storageRequest } from '../storage-request.ts';
import { openProbe, type Probe, type ProbeAnswer, type Probed, type ResolveHost } from './probe.ts';

export interface ConnectionTester {
  resolveHost: ResolveHost;
  allowsLoopbackEndpoints: boolean;
  /** Assumes roles with tokens of the service's issuer. */
  assumeRole: AssumeRole;
  deploymentId: string;
  clock: Clock;
  random: RandomSource;
  /** Opens the connection to the storage. The default connects over the network. */
  open?: typeof openProbe;
  /** The time limits of the test and of one request. By default, the limits of the service. */
  timeouts?: { wholeMs: number; requestMs: number };
}

/** A data connection with its decrypted credentials. */
type TestedConnection = DataConnection & Pick<DataConnectionRecord, 'uid' | 'owner_account_id'>;

type Access = 'read' | 'read_write';
type Outcome = 'ok' | ConnectionFailure | ConnectionOmission;
/** The outcomes of the checks that ran. The other checks did not run, because an earlier one failed. */
interface Findings {
  outcomes: Partial<Record<ConnectionCheckName, Outcome>>;
  /** Sentences that are added to the messages of checks. */
  notes?: Partial<Record<ConnectionCheckName, string>>;
}

/**
 * Tests the permissions of a connection's storage, one check after another. The results never repeat text of the
 * storage. With `read_write`, the test writes, reads, and deletes a small object directly below the base prefix, where
 * no repository can be. With `read`, the test changes nothing.
 *
 * @param markerNonce the random part of the name of the marker object; present only for a draft, whose test must also
 * show that the draft's owner controls the storage
 */
export async function testConnection(
  connection: TestedConnection,
  access: Access,
  tester: ConnectionTester,
  markerNonce?: string,
): Promise<ConnectionCheck[]> {
  const storage = storageOf(connection);
  const { resolveHost, allowsLoopbackEndpoints, clock, random, open = openProbe, timeouts = defaultTimeouts } = tester;
  const signal = AbortSignal.timeout(timeouts.wholeMs);
  const call = (one: StorageCall, from = storage) => storageRequest(from, one, clock());
  const { host } = call(headOfBucket);
  const probe = await open(host, { resolveHost, allowsLoopback: allowsLoopbackEndpoints, signal });
  const isOmitted: Partial<Record<ConnectionCheckName, boolean>> = {
    control: markerNonce === undefined,
    role: connection.authentication?.type !== 's3_web_identity_role',
  };
  const names = connectionCheckNames.filter((name) => !isOmitted[name]);
  if (typeof probe === 'string') return toChecks({ outcomes: { address: probe } }, names);
  const send: Send = (one, { body = noBody, bytesMax = limits.storageErrorBytesMax, isLast = false, from } = {}) => {
    const requestSignal = AbortSignal.timeout(timeouts.requestMs);
    // The last request deletes the test object. It has a time limit of its own, so that the test deletes the object
    // even when slow storage has used up the limit of the whole test.
    const bounds = { signal: isLast ? requestSignal : AbortSignal.any([signal, requestSignal]), bytesMax };
    return probe(call(one, from), body, bounds);
  };
  const { outcomes, ...found } = await checkStorage(connection, access, storage, send, tester);
  const control =
    markerNonce === undefined ? undefined : await checkControl(connection, access, outcomes, markerNonce, send, random);
  return toChecks({ outcomes: { address: 'ok', ...outcomes, ...(control && { control }) }, ...found }, names);
}

const defaultTimeouts = { wholeMs: limits.connectionTestMs, requestMs: limits.connectionTestRequestMs };

type Send = (
  call: StorageCall,
  options?: { body?: Uint8Array; bytesMax?: number; isLast?: boolean; from?: RepositoryStorage },
) => ReturnType<Probe>;

const noBody = new Uint8Array();

async function checkStorage(
  connection: TestedConnection,
  access: Access,
  unsignedStorage: RepositoryStorage,
  sendAs: Send,
  tester: ConnectionTester,
): Promise<Findings> {
  const { details, authentication, read_only } = connection;
  let [storage, send] = [unsignedStorage, sendAs];
  // Send this request unsigned, so that its response depends only on the path to the bucket.
  const head = await send(headOfBucket, { from: { ...storage, credentials: undefined } });
  const reach = reachOf(head, details.endpoint !== undefined);
  if (reach !== 'ok' || head.kind === 'failure') return { outcomes: { reach } };
  const region = details.endpoint === undefined ? regionOf(head, details.region) : undefined;
  if (region === 'region_differs') return regionDiffers(head);
  if (authentication?.type === 's3_assume_role') {
    const others = { list: 'role_of_the_proxy', write: 'role_of_the_proxy', read: 'role_of_the_proxy' } as const;
    return { outcomes: { reach, region: region ?? 'not_told', ...others, delete: 'role_of_the_proxy' } };
  }
  const ofRole: Findings['outcomes'] = {};
  if (authentication?.type === 's3_web_identity_role') {
    const { outcome, credentials } = await checkRole(connection, authentication, tester);
    ofRole.role = outcome;
    if (outcome !== 'ok') return { outcomes: { reach, region: region ?? 'not_told', role: outcome } };
    storage = { ...storage, credentials };
    send = (call, options) => sendAs(call, { from: storage, ...options });
  }
  const { outcome: list, key } = await listObjects(storage, send);
  if (list === 'region_differs') {
    const { outcomes, ...notes } = region === undefined && authentication ? regionDiffers(head) : { outcomes: {} };
    return { outcomes: { reach, region: region ?? 'not_told', ...ofRole, ...outcomes, list }, ...notes };
  }
  const bySignature = list === 'ok' && authentication !== undefined ? 'ok' : 'not_told';
  const soFar: Findings['outcomes'] = { reach, region: region ?? bySignature, ...ofRole, list };
  if (read_only || access === 'read') {
    const omitted = read_only ? 'read_only' : 'not_asked';
    return { outcomes: { ...soFar, write: omitted, read: await readObject(list, key, send), delete: omitted } };
  }
  const { outcomes, ...notes } = await writeReadDelete(storage, key, send, tester.random);
  return { outcomes: { ...soFar, ...outcomes }, ...notes };
}

/**
 * Assumes the connection's role with a token of this connection, and then with a token of a random account and
 * connection. The second attempt must fail with exactly `AccessDenied`. If it succeeds, connections of other accounts
 * could use the role.
 */
async function checkRole(
  connection: TestedConnection,
  authentication: WebIdentityAuthentication,
  { assumeRole, deploymentId, random }: ConnectionTester,
): Promise<{ outcome: Outcome; credentials?: RepositoryStorage['credentials'] }> {
  const request = roleRequest(connection, authentication, deploymentId);
  const { region } = connection.details;
  try {
    const { expires_at: _, ...credentials } = await assumeRole(request);
    const outcome = await assumeRole({
      ...request,
      by: { subject: strangeSubject(deploymentId, connection, random), region },
    }).then(
      (): Outcome => 'role_open',
      (refusal: unknown): Outcome => (nameOf(refusal) === 'AccessDenied' ? 'ok' : 'storage_failed'),
    );
    return { outcome, credentials };
  } catch (refusal) {
    if (isRoleRefusal(refusal)) return { outcome: 'role_refused' };
    return { outcome: nameOf(refusal) === 'TimeoutError' ? 'timed_out' : 'no_connection' };
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function regionDiffers({ bucketRegion }: ProbeAnswer): Findings {
  // Show the region only if it is the name of an AWS region. Results of a test repeat no other text of the storage.
  const isNamed = bucketRegion !== undefined && isAwsRegion(bucketRegion) && bucketRegion.length <= 32;
  const notes = isNamed ? { region: `It is in ${bucketRegion}.` } : {};
  return { outcomes: { reach: 'ok', region: 'region_differs' }, notes };
}

/** Describes the storage of a repository whose objects are directly below the base prefix. */
function storageOf({ data_connection_id, details, authentication }: DataConnection): RepositoryStorage {
  const { base_prefix: prefix } = details;
  const credentials = authentication?.type === 's3_access_key' ? authentication : undefined;
  return {
    account_id: '',
    repository_id: '',
    data_connection_id,
    details,
    isOfAccount: true,
    prefix,
    credentials,
    authorization_read_at: 0,
  };
}

const emptyHash = createHash('sha256').digest('hex');
const empty = { query: [], headers: {}, payloadHash: emptyHash };
const headOfBucket: StorageCall = { ...empty, method: 'HEAD', key: undefined };

function reachOf(head: Probed, hasEndpoint: boolean): Outcome {
  if (head.kind === 'failure') return head.code;
  const { status, bucketRegion } = head;
  // S3 redirects a request with a wrong region to the bucket's region. A redirect of any other storage leads to another
  // host.
  if (status >= 300 && status < 400 && (hasEndpoint || bucketRegion === undefined)) return 'redirected';
  // Only S3's 404 proves that the bucket does not exist. Some other storage returns 404 to every unsigned request.
  if (status === 404 && !hasEndpoint) return 'bucket_not_found';
  return status >= 500 ? 'storage_failed' : 'ok';
}

function regionOf({ bucketRegion }: ProbeAnswer, region: string): Outcome {
  if (bucketRegion === undefined) return 'not_told';
  return bucketRegion === region ? 'ok' : 'region_differs';
}

interface Listed {
  outcome: Outcome;
  /** The key of an object, relative to the base prefix. */
  key?: string | undefined;
}

async function listObjects({ prefix }: RepositoryStorage, send: Send): Promise<Listed> {
  const query = Object.entries({ 'list-type': '2', 'max-keys': '10', prefix });
  const probed = await send({ ...empty, method: 'GET', key: undefined, query });
  const refused = refusalOf(probed);
  // The status 404 of a list means that the bucket does not exist.
  if (probed.kind === 'answer' && probed.status === 404) return { outcome: 'bucket_not_found' };
  if (refused !== undefined || probed.kind === 'failure') return { outcome: refused ?? 'not_s3' };
  const names = listedNames(probed.text ?? '');
  if (names === undefined || !names.every((name) => name.startsWith(prefix))) return { outcome: 'not_s3' };
  const keys = names.map((name) => name.slice(prefix.length));
  return { outcome: 'ok', key: keys.find((key) => isReadable(prefix, key)) };
}

/** Returns true for a key that a request can name. Unusual storage may list any text as a key. */
function isReadable(prefix: string, key: string): boolean {
  const isObject = key !== '' && !key.endsWith('/') && !/(?:^|\/)\.\.?(?:\/|$)/.test(key);
  return isObject && key.isWellFormed() && Buffer.byteLength(prefix + key) <= limits.objectKeyBytesMax;
}

function listedNames(text: string): string[] | undefined {
  try {
    return xmlChildren(parseXml(text, 'ListBucketResult', limits.storageXmlElementsMax), 'Contents').map(
      (each) => xmlText(each, 'Key') ?? '',
    );
  } catch {
    return undefined;
  }
}

/**
 * Checks whether the storage returns the object with this key.
 *
 * @param before the outcome of the check that lists keys; the result if that check found no key
 */
async function readObject(before: Outcome, key: string | undefined, send: Send): Promise<Outcome> {
  if (key === undefined) return before === 'ok' ? 'nothing_to_read' : 'earlier_failed';
  // The status and headers of the response are enough for this check, so it does not read the body.
  const probed = await send({ ...empty, method: 'GET', key, headers: { range: 'bytes=0-0' } }, { bytesMax: 4096 });
  // An empty object has no first byte, so storage returns 416. The object can still be read.
  if (probed.kind === 'answer' && [200, 206, 416].includes(probed.status)) return 'ok';
  return refusalOf(probed) ?? 'ok';
}

async function writeReadDelete(
  storage: RepositoryStorage,
  listedKey: string | undefined,
  send: Send,
  random: RandomSource,
): Promise<Findings> {
  const id = random.uuid();
  // The key has one segment. Every repository has at least two segments below the base prefix, so none can contain the
  // object.
  const key = `_sluice-test-${id}`;
  const body = Buffer.from(`Sluice wrote this to test a data connection (${id}). It can be deleted.\n`);
  const contentMd5 = createHash('md5').update(body).digest('base64');
  const headers = { 'content-type': 'text/plain', 'content-md5': contentMd5 };
  const payloadHash = createHash('sha256').update(body).digest('hex');
  const written = await send({ method: 'PUT', key, query: [], headers, payloadHash }, { body });
  const write = refusalOf(written) ?? 'ok';
  const read = write === 'ok' ? await readWritten(key, body, send) : await readObject(write, listedKey, send);
  const versions = write === 'ok' ? await findVersionNote(storage, key, send) : undefined;
  // If storage refused the write, the test object does not exist. After a server error or without a response, the
  // object may exist, so the test deletes it.
  const isRefused = written.kind === 'answer' && written.status >= 300 && written.status < 500;
  if (isRefused) return { outcomes: { write, read } };
  const deleted = refusalOf(await send({ ...empty, method: 'DELETE', key }, { isLast: true })) ?? 'ok';
  const left = `The object ${storage.prefix}${key} may be left in the bucket; delete it there.`;
  const notes = { ...(versions && { read: versions }), ...(isFailure(deleted) && { delete: left }) };
  return { outcomes: { write, read, delete: deleted }, notes };
}

/**
 * Returns a sentence that says whether versions of repositories can be created on the storage. A test does not fail if
 * they cannot, because versions are optional.
 */
async function findVersionNote({ prefix }: RepositoryStorage, key: string, send: Send): Promise<string> {
  const query = Object.entries({ versions: '', 'max-keys': '1', prefix: prefix + key });
  const listed = await send({ ...empty, method: 'GET', key: undefined, query });
  if (refusalOf(listed) !== undefined || listed.kind === 'failure') return versionNotes.refused;
  const versionId = listedVersionId(listed.text ?? '');
  if (versionId === undefined || versionId === 'null') return versionNotes.off;
  const read = await send({ ...empty, method: 'GET', key, query: [['versionId', versionId]] });
  return refusalOf(read) === undefined ? versionNotes.possible : versionNotes.refused;
}

const versionNotes = {
  possible: 'Versions of repositories can be created.',
  off: 'Versions of repositories cannot be created, because the bucket has no object versioning.',
  refused: 'Versions of repositories cannot be created: for them, allow s3:ListBucketVersions and s3:GetObjectVersion.',
} as const;

function listedVersionId(text: string): string | undefined {
  try {
    const [version] = xmlChildren(parseXml(text, 'ListVersionsResult', limits.storageXmlElementsMax), 'Version');
    return version && xmlText(version, 'VersionId');
  } catch {
    return undefined;
  }
}

async function readWritten(key: string, body: Buffer, send: Send): Promise<Outcome> {
  const probed = await send({ ...empty, method: 'GET', key });
  const refused = refusalOf(probed);
  if (refused !== undefined) return refused;
  return probed.kind === 'answer' && probed.text === body.toString('utf8') ? 'ok' : 'content_differs';
}

/** Returns the refusal in a response, or undefined for a complete and successful response. */
function refusalOf(probed: Probed): Outcome | undefined {
  if (probed.kind === 'failure') return probed.code;
  const { status, text } = probed;
  if (status >= 200 && status < 300) return text === undefined ? 'answer_too_large' : undefined;
  const code = readErrorCode(text ?? '');
  return outcomeOfErrorCode(code) ?? byStatus(status);
}

function byStatus(status: number): ConnectionFailure {
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 401) return 'credentials_refused';
  return status === 403 ? 'access_denied' : 'storage_failed';
}

/**
 * Checks that the owner of a draft connection controls the storage. A connection that can write has shown this by
 * writing and deleting an object. For a read-only connection, the owner uploads an object whose name only the owner
 * knows. The check fails if the storage claims to have every object, even one with a random name.
 */
async function checkControl(
  { read_only }: DataConnection,
  access: Access,
  outcomes: Findings['outcomes'],
  markerNonce: string,
  send: Send,
  random: RandomSource,
): Promise<Outcome> {
  if (outcomes.list !== 'ok') return 'earlier_failed';
  if (!read_only) {
    if (access === 'read') return 'not_asked';
    return (['write', 'read', 'delete'] as const).every((name) => outcomes[name] === 'ok') ? 'ok' : 'earlier_failed';
  }
  const hasMarker = async (nonce: string) => {
    const call: StorageCall = { ...empty, method: 'GET', key: markerName(nonce), headers: { range: 'bytes=0-0' } };
    const probed = await send(call, { bytesMax: 4096 });
    return probed.kind === 'answer' && [200, 206, 416].includes(probed.status);
  };
  return (await hasMarker(markerNonce)) && !(await hasMarker(random.uuid())) ? 'ok' : 'marker_missing';
}

function toChecks({ outcomes, notes = {} }: Findings, names: readonly ConnectionCheckName[]): ConnectionCheck[] {
  return names.map((check) => {
    const code = outcomes[check] ?? 'earlier_failed';
    const state = code === 'ok' ? 'passed' : isFailure(code) ? 'failed' : 'not_tried';
    const message = [code === 'ok' ? passed[check] : checkMessages[code], notes[check]].filter(Boolean).join(' ');
    return { check, state, code, message };
  });
}

function isFailure(code: Outcome): code is ConnectionFailure {
  return connectionFailures.some((failure) => failure === code);
}

const passed: Readonly<Record<ConnectionCheckName, string>> = {
  address: 'The name of the storage has an address that the service may connect to.',
  reach: 'The storage answers.',
  region: 'The bucket is in the region of the connection.',
  role: 'AWS lets this connection assume the role, and refuses every other one.',
  list: 'The objects below the base prefix can be listed.',
  write: 'A small object was written below the base prefix.',
  read: 'An object below the base prefix can be read.',
  delete: 'The test deleted the object that it wrote. A bucket with versions keeps a version of it.',
  control: 'The owner of the connection controls the storage. The connection can hold repositories.',
};
