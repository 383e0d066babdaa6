import { hash } from 'node:crypto';
import type { DataAccessReader } from '../../domain/data/data-access.ts';
import type {
  BufferedResponse,
  Decision,
  EdgeRequest,
  HeaderFields,
  StorageRequest,
} from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { SecretSource } from '../../domain/secrets/secret-versions.ts';
import { parseXml, readErrorCode, type XmlElement } from '../../domain/xml.ts';
import type { Caller } from '../authenticate.ts';
import { accessDenied, errorContext, keyWithoutRepository } from '../errors.ts';
import type { Operation } from '../operations.ts';
import { openRepository, type RepositoryStorage, undefinedIfDenied } from '../repository-storage.ts';
import type { Query } from '../resource.ts';
import { findIgnoredEncryption, renderShownError, shownHeaders } from '../response.ts';
import { errorByRequest } from '../storage-errors/error-table.ts';
import { brokenStorage, findShownName, type ShownErrorName } from '../storage-errors/shown-errors.ts';
import { storageRequest } from '../storage-request.ts';

/** A request that is parsed and authenticated, but not yet authorized. */
export interface ObjectRequest {
  edgeRequest: EdgeRequest;
  /** The protocol of the client's connection to this proxy. */
  protocol: 'http' | 'https';
  /** The client's headers that storage may receive. */
  headers: HeaderFields;
  /** `x-amz-copy-source` as sent. */
  copySource: string | undefined;
  /** `x-amz-source-expected-bucket-owner` as sent. */
  expectedSourceOwner: string | undefined;
  query: Query;
  operation: Operation;
  account_id: string;
  /** True when the response is the same for every caller and may be shared. */
  isOpen: boolean;
  /** The key that begins with the repository. Undefined for a bucket request. */
  bucketKey: string | undefined;
  /** Empty for a bucket request. */
  repository_id: string;
  key: string | undefined;
  caller: Caller;
  access: DataAccessReader;
  /** Keys that encrypt the continuation tokens that clients hold. */
  sessionKeys: SecretSource;
  /** Milliseconds since the Unix epoch. */
  now: number;
  ageMaxSeconds: number;
}

/** Returns the object that the path names, if the caller may use its repository for the operation. */
export async function openObject(request: ObjectRequest): Promise<{ storage: RepositoryStorage; key: string }> {
  const { repository_id, key } = request;
  if (key !== undefined) return { storage: await openNamed(request, repository_id), key };
  const storage = await openNamed(request, repository_id).catch(undefinedIfDenied);
  // Clients send this request to find out whether `repository` is an object or a folder.
  if (storage !== undefined && request.operation.right === 'read') {
    throw new ServiceError('not_found', 'The object does not exist.');
  }
  throw request.caller.signature === undefined ? accessDenied() : keyWithoutRepository();
}

/** Returns the repository's storage, if the caller may use the repository for the operation. */
export function openNamed(request: ObjectRequest, repository_id: string): Promise<RepositoryStorage> {
  const { access, caller, operation, account_id, ageMaxSeconds } = request;
  if (operation.right === 'none') throw new Error(`${operation.name} is answered without a repository`);
  return openRepository(access, caller.principal, operation.right, { account_id, repository_id }, ageMaxSeconds);
}

interface RelayedRequest {
  storage: RepositoryStorage;
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Undefined for a request on the bucket. */
  key: string | undefined;
  query: Iterable<readonly [name: string, value: string]>;
  headers: HeaderFields;
  body?: Uint8Array;
  /** True when S3's response repeats the requested encryption. */
  confirmsEncryption?: true;
  /** Handles a storage error by its code. Undefined shows the error to the client. */
  onError?: (code: string | undefined) => Decision | undefined;
}

interface RelayedDocument {
  /** The root element of storage's document, or its possible names. */
  rootName: string | readonly string[];
  /** Renders the client's document from storage's document. */
  rewrite: (root: XmlElement) => string;
  /** Returns the next decision, in place of a rewritten document. Undefined shows the document. */
  follow?: ((root: XmlElement) => Decision | undefined) | undefined;
}

/** A call whose response has a document, or a status only. */
export type RelayCall = RelayedRequest & (RelayedDocument | { rootName?: undefined });

/**
 * Sends a request to storage from the function and shows its rewritten response. Storage errors get our own messages. A
 * storage configuration error is thrown, so that the adapter logs it.
 */
export function relay({ edgeRequest, now }: ObjectRequest, call: RelayCall): Decision {
  const { storage, method, key, query, body = new Uint8Array() } = call;
  const hasBody = method === 'PUT' || method === 'POST';
  const headers = hasBody ? { ...call.headers, 'content-length': String(body.length) } : call.headers;
  const payloadHash = hash('sha256', body, 'hex');
  const request = storageRequest(storage, { method, key, query, headers, payloadHash }, now);
  return {
    kind: 'relay',
    request,
    body,
    rewrite: (answer) => rewriteAnswer(edgeRequest, call, request, answer),
    next: (answer) => nextDecision(call, answer),
  };
}

function nextDecision(call: RelayCall, answer: BufferedResponse): Decision | undefined {
  const error = findError(answer);
  if (error !== undefined) return call.onError?.(error.code);
  if (call.rootName === undefined || call.follow === undefined) return undefined;
  return readDocument(answer, call.rootName, call.follow);
}

function rewriteAnswer(
  edgeRequest: EdgeRequest,
  call: RelayCall,
  request: StorageRequest,
  answer: BufferedResponse,
): BufferedResponse {
  const name = findShownError(call, request, answer);
  if (name === 'brokenStorage') throw brokenStorage(`${answer.status} ${findError(answer)?.code ?? ''}`);
  if (name !== undefined) return renderShownError(name, answer.headers, errorContext(edgeRequest));
  const isDocument = call.rootName !== undefined;
  const document = isDocument ? readDocument(answer, call.rootName, call.rewrite) : '';
  const { headers, ...rest } = xmlAnswer(edgeRequest, document, answer.headers);
  if (isDocument) return { ...rest, headers };
  const { 'content-type': _none, ...withoutType } = headers;
  return { status: answer.status, headers: withoutType, body: '' };
}

function findShownError(
  { confirmsEncryption }: RelayCall,
  request: StorageRequest,
  answer: BufferedResponse,
): ShownErrorName | undefined {
  const error = findError(answer);
  if (error !== undefined) return findShownName(error.code) ?? errorByRequest(error.status, request);
  return confirmsEncryption && findIgnoredEncryption(request, answer.headers);
}

function readDocument<T>(
  answer: BufferedResponse,
  rootName: RelayedDocument['rootName'],
  read: (root: XmlElement) => T,
): T {
  try {
    const root = parseXml(answer.body.trim());
    if (![rootName].flat().includes(root.name)) throw new Error('another document');
    return read(root);
  } catch (cause) {
    // A ServiceError would blame the XML of the client.
    throw new Error(`the storage's answer is not a ${rootName}`, { cause });
  }
}

/**
 * Returns 200 with an XML document. Copies the `x-amz-` headers and the time of `storageHeaders` that the allow-list
 * contains.
 */
export function xmlAnswer(request: EdgeRequest, document: string, storageHeaders: HeaderFields = {}): BufferedResponse {
  const isCopied = (name: string) => name.startsWith('x-amz-') || name === 'last-modified';
  const shown = Object.entries(shownHeaders(storageHeaders)).filter(([name]) => isCopied(name));
  const headers = { 'content-type': 'application/xml', 'x-amz-request-id': request.requestId };
  return { status: 200, headers: { ...Object.fromEntries(shown), ...headers }, body: document };
}

/**
 * Finds an error in a response. CopyObject and CompleteMultipartUpload send 200 and spaces before they finish, and can
 * still end in an error.
 */
function findError({ status, body }: BufferedResponse): { status: number; code: string | undefined } | undefined {
  const text = body.trim();
  const isError = /^(?:<\?xml[^>]*\?>)?\s*<Error[\s>]/.test(text);
  if (status < 300 && !isError) return undefined;
  return { status: status < 300 ? 500 : status, code: isError ? readErrorCode(text) : undefined };
}
