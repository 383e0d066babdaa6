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
import { limits } from '../../domain/limits.ts';
import type { SecretSource } from '../../domain/secrets/secret-versions.ts';
import { parseXml, readErrorCode, type XmlElement } from '../../domain/xml.ts';
import type { Caller } from '../authenticate.ts';
import { accessDenied, errorContext, keyWithoutRepository } from '../errors.ts';
import type { Operation } from '../operations.ts';
import { openRepository, type RepositoryStorage, undefinedIfDenied } from '../repository-storage.ts';
import type { NamedVersion, Query } from '../resource.ts';
import { findIgnoredEncryption, renderShownError, shownHeaders } from '../response.ts';
import { errorByRequest } from '../storage-errors/error-table.ts';
import {
  brokenStorage,
  findShownName,
  LoggedStorageError,
  type ShownErrorName,
} from '../storage-errors/shown-errors.ts';
import { storageRequest } from '../storage-request.ts';
import type { OpenManifest } from '../versions/manifest-cache.ts';

/**
 * A parsed and authenticated S3 request. The proxy has not yet checked whether the caller may do what the request asks
 * for.
 */
export interface ObjectRequest {
  edgeRequest: EdgeRequest;
  /** The protocol with which the client is connected to this proxy. */
  protocol: 'http' | 'https';
  /** The client's headers that may be forwarded to storage. */
  headers: HeaderFields;
  /** The header `x-amz-copy-source`, as the client sent it. */
  copySource: string | undefined;
  /** The header `x-amz-source-expected-bucket-owner`, as the client sent it. */
  expectedSourceOwner: string | undefined;
  query: Query;
  operation: Operation;
  account_id: string;
  /** True when every caller gets the same response, so that it may be cached and shared. */
  isOpen: boolean;
  /** The key within the bucket. It begins with the repository ID. Undefined for a request without a key. */
  bucketKey: string | undefined;
  /** The repository ID. Empty for a request without a key. */
  repository_id: string;
  /**
   * The version of a repository in the path. If it is present, `repository_id` is the whole segment and not the ID of a
   * repository.
   */
  version?: NamedVersion;
  key: string | undefined;
  caller: Caller;
  access: DataAccessReader;
  /** The keys that encrypt continuation tokens. */
  sessionKeys: SecretSource;
  openManifest: OpenManifest;
  /** The time of the request in milliseconds since the Unix epoch. */
  now: number;
  ageMaxSeconds: number;
}

/**
 * Returns the storage and key of the object in the path. Checks that the caller may use its repository for the
 * operation.
 */
export async function openObject(request: ObjectRequest): Promise<{ storage: RepositoryStorage; key: string }> {
  const { repository_id, key } = request;
  if (key !== undefined) return { storage: await openNamed(request, repository_id), key };
  const storage = await openNamed(request, repository_id).catch(undefinedIfDenied);
  // The path contains a repository but no key. Clients send this request to find out whether `repository` is an object
  // or a folder. No object has this path.
  if (storage !== undefined && request.operation.right === 'read') {
    throw new ServiceError('not_found', 'The object does not exist.');
  }
  throw request.caller.signature === undefined ? accessDenied() : keyWithoutRepository();
}

/** Returns the storage of a repository. Checks that the caller may use the repository for the operation. */
export function openNamed(request: ObjectRequest, repository_id: string): Promise<RepositoryStorage> {
  const { access, caller, operation, account_id, ageMaxSeconds } = request;
  if (operation.right === 'none') throw new Error(`${operation.name} is answered without a repository`);
  return openRepository(access, caller.principal, operation.right, { account_id, repository_id }, ageMaxSeconds);
}

interface RelayedRequest {
  storage: RepositoryStorage;
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The key of the object. Undefined for a request for the bucket. */
  key: string | undefined;
  query: Iterable<readonly [name: string, value: string]>;
  headers: HeaderFields;
  body?: Uint8Array;
  /** True for an operation for which S3's response repeats the encryption headers of the request. */
  confirmsEncryption?: true;
  /** Handles an error of the storage by its S3 code. If the function returns undefined, the client gets the error. */
  onError?: (code: string | undefined) => Decision | undefined;
}

interface RelayedDocument {
  /** The name of the root element in the document from storage, or several allowed names. */
  rootName: string | readonly string[];
  /** Renders the document for the client from the document of the storage. */
  rewrite: (root: XmlElement) => string;
  /**
   * Returns a decision that replaces the response to the client, such as a further request to storage. If it returns
   * undefined, the client gets the rewritten document.
   */
  follow?: ((root: XmlElement) => Decision | undefined) | undefined;
}

/** A request to storage whose response is an XML document or only a status. */
export type RelayCall = RelayedRequest & (RelayedDocument | { rootName?: undefined });

/**
 * Sends a request to storage from the edge function, and answers the client with the rewritten response. An error of
 * the storage gets a message of this service. An error that shows a wrong configuration of the storage is thrown, so
 * that the caller logs it.
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
    const root = parseXml(answer.body.trim(), undefined, limits.storageXmlElementsMax);
    if (![rootName].flat().includes(root.name)) throw new Error('another document');
    return read(root);
  } catch (cause) {
    if (cause instanceof LoggedStorageError) throw cause;
    // A ServiceError would tell clients that their own XML is invalid, so throw another error.
    throw new Error(`the storage's answer is not a ${rootName}`, { cause });
  }
}

/**
 * Returns a response with status 200 and an XML document. From `storageHeaders`, copies the `x-amz-` headers and the
 * time of the last change, if clients may see them.
 */
export function xmlAnswer(request: EdgeRequest, document: string, storageHeaders: HeaderFields = {}): BufferedResponse {
  const isCopied = (name: string) => name.startsWith('x-amz-') || name === 'last-modified';
  const shown = Object.entries(shownHeaders(storageHeaders)).filter(([name]) => isCopied(name));
  const headers = { 'content-type': 'application/xml', 'x-amz-request-id': request.requestId };
  return { status: 200, headers: { ...Object.fromEntries(shown), ...headers }, body: document };
}

/**
 * Finds an error in a storage response. CopyObject and CompleteMultipartUpload send status 200 and spaces before they
 * have finished. Their response can therefore contain an error document although the status is 200.
 */
function findError({ status, body }: BufferedResponse): { status: number; code: string | undefined } | undefined {
  const text = body.trim();
  const isError = /^(?:<\?xml[^>]*\?>)?\s*<Error[\s>]/.test(text);
  if (status < 300 && !isError) return undefined;
  return { status: status < 300 ? 500 : status, code: isError ? readErrorCode(text) : undefined };
}
