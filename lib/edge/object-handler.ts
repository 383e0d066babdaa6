import type { BodyDecoding, BufferedResponse, Decision, EdgeRequest } from '../domain/data/decision.ts';
import { identityDocument, identityPath, type StorageIssuer } from '../domain/data/web-identity.ts';
import { limits } from '../domain/limits.ts';
import { forBrowsers } from '../s3/browser-headers.ts';
import { decideObjectRequest, type ObjectDependencies } from '../s3/decide.ts';
import { errorContext, renderError } from '../s3/errors.ts';
import { signedChunksRefused } from '../s3/payload.ts';
import { parseResource, type S3Resource } from '../s3/resource.ts';
import { type FetchStorage, fetchFromStorage, type StorageTimeouts } from '../s3/storage-fetch.ts';
import { createManifestCache } from '../s3/versions/manifest-cache.ts';
import { neverCached } from './cache-control.ts';
import { edgeRequestFrom, type FinalDecision, toCloudFrontResult } from './cloudfront-events.ts';
import { answerWithinMsMax, type EdgeLog, type OriginRequestHandler, respond, withinTime } from './handlers.ts';
import { asPage, isUserAtLink, type LinkSite, repositoryPageOf, userHeader } from './link-page.ts';
import type { StorageHealthReports } from './storage-health.ts';

export interface ObjectServices extends Omit<ObjectDependencies, 'openManifest'> {
  /** Reads and caches the manifests of versions. The default reads them from storage. */
  openManifest?: ObjectDependencies['openManifest'];
  log: EdgeLog;
  /**
   * The host whose subdomains are account names, in lower case and without a port. Without it, clients can use only
   * path-style URLs.
   */
  virtualHostBase?: string;
  /** The site's name, color, and URL, for the error page that users see in a browser. If absent, users get S3's XML. */
  site?: LinkSite;
  /**
   * Loads the handler for a credential exchange at `/`. Only the first exchange request at this path calls it, so that
   * other requests do not load its code.
   */
  loadExchange: () => Promise<OriginRequestHandler>;
  /**
   * Decodes a forwarded body. Only the local service sets this. On CloudFront, a function never gets the whole body.
   */
  decodeBody?: (requestId: string, decoding: BodyDecoding) => void;
  /** Reports failures of storage to its owners. */
  storageHealth?: Pick<StorageHealthReports, 'answered'>;
  /** The issuer of tokens for storage. Everybody may read its documents at the data host. */
  storageIssuer?: StorageIssuer;
  /** The time limit for a response or a decision, in milliseconds. The default is 27 s. */
  answerWithinMs?: number;
  /** The time limits of storage that an account connected. By default, the limits of the service. */
  accountStorageMs?: StorageTimeouts;
  /** Sends the requests to storage whose whole response the function reads. The default is `fetchBytes`. */
  fetchStorage?: FetchStorage;
}

const late = 'The request timed out; it may still complete, so check before you retry, or send smaller parts.';
const accountStorageTimeouts = { headersMs: limits.accountStorageHeadersMs, wholeMs: limits.accountStorageMs };
const relayedBytesMax = 8 * limits.edgeAnswerBytesMax;

export function createObjectHandler(services: ObjectServices): OriginRequestHandler {
  const { answerWithinMs = answerWithinMsMax, accountStorageMs = accountStorageTimeouts, clock, site } = services;
  const { fetchStorage, storageHealth } = services;
  const health = storageHealth === undefined ? {} : { storageHealth };
  const manifests = { clock, timeoutMs: answerWithinMs, accountStorage: accountStorageMs, fetchStorage, ...health };
  const deps: ObjectDependencies = { openManifest: createManifestCache(manifests), ...services };
  let exchange: OriginRequestHandler | undefined;
  return async (event) => {
    const request = edgeRequestFrom(event);
    const resource = parseResource(request, services.virtualHostBase);
    const user =
      site !== undefined && isUserAtLink(request) ? { site, page: repositoryPageOf(resource, site) } : undefined;
    const shown = (answer: BufferedResponse) => {
      const forAll = answerForAll(answer);
      if (user === undefined) return forAll;
      return asPage(forAll, { ...user, rawQuery: request.rawQuery, now: services.clock() });
    };
    try {
      if (isExchangeAtRoot(request, resource)) {
        exchange ??= await services.loadExchange();
        return await exchange(event);
      }
      const document = await identityAnswer(request, resource, services);
      if (document !== undefined) return respond(document, event);
      const decision = await withinTime(answerWithinMs, late, async (signal) =>
        settle(await decideObjectRequest(request, resource, deps), signal, services),
      );
      const final = withDecodedBody(decision, request, services);
      if (final.kind === 'respond') return respond(shown(final.answer), event);
      // Add the browser headers or the error page here only to a final response. For a forwarded request, the function
      // `shape-response` adds them later.
      return toCloudFrontResult(user === undefined ? final : forUser(final, user.page), event);
    } catch (error) {
      services.log({ request_id: request.requestId, failure: error });
      return respond(shown(renderError(error, errorContext(request))), event);
    }
  };
}

/**
 * Returns true for a credential exchange at `/`. The AWS SDK for Java sends it to this path, because it ignores the
 * path of `AWS_ENDPOINT_URL_STS`. No other request looks like an exchange: S3 has form POSTs at `/` only on virtual
 * hosts, and an exchange has no query.
 */
function isExchangeAtRoot(
  { method, rawPath, rawQuery, headers }: EdgeRequest,
  resource: S3Resource | undefined,
): boolean {
  if (rawPath !== '/' || method !== 'POST' || rawQuery !== '' || resource?.account_id !== undefined) return false;
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  return mediaType.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/**
 * Returns a document of the issuer of tokens for storage. Only the data host itself has such documents, because an
 * account's own host has objects at these paths.
 */
async function identityAnswer(
  { method, rawPath }: EdgeRequest,
  resource: S3Resource | undefined,
  { storageIssuer }: ObjectServices,
): Promise<BufferedResponse | undefined> {
  const isReserved = resource === undefined || `/${resource.account_id}` === identityPath;
  if (storageIssuer === undefined || !isReserved || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const document = await identityDocument(rawPath, storageIssuer);
  if (document === undefined) return undefined;
  // Caches may use an old document of the issuer for this time. A rotation publishes a new key for a longer time before
  // the key signs.
  const cacheControl = `public, max-age=${limits.identityDocumentMaxAgeSeconds}`;
  const headers = { 'content-type': 'application/json', 'cache-control': cacheControl };
  return { status: 200, headers, body: method === 'HEAD' ? '' : JSON.stringify(document) };
}

/** @param spentMs the time that earlier storage requests took for this client request */
async function settle(
  decision: Decision,
  signal: AbortSignal,
  services: Pick<ObjectServices, 'accountStorageMs' | 'storageHealth' | 'clock' | 'fetchStorage'>,
  spentMs = 0,
): Promise<FinalDecision> {
  if (decision.kind !== 'relay') return decision;
  const { accountStorageMs = accountStorageTimeouts, clock } = services;
  const { headersMs, wholeMs } = accountStorageMs;
  const timeouts = decision.request.isOfAccount ? { headersMs, wholeMs: wholeMs - spentMs } : undefined;
  const bounds = { signal, bytesMax: relayedBytesMax, timeouts };
  const startedAt = clock();
  const answer = await fetchFromStorage(decision.request, decision.body, bounds, services.fetchStorage);
  const { data_connection_id } = decision.request;
  if (data_connection_id !== undefined) services.storageHealth?.answered(data_connection_id, answer);
  const next = decision.next?.(answer);
  if (next === undefined) return { kind: 'respond', answer: decision.rewrite(answer) };
  return settle(next, signal, services, spentMs + clock() - startedAt);
}

function withDecodedBody(decision: FinalDecision, request: EdgeRequest, { decodeBody }: ObjectServices): FinalDecision {
  if (decision.kind !== 'forward' || decision.decoding === undefined) return decision;
  if (decodeBody === undefined) {
    return { kind: 'respond', answer: renderError(signedChunksRefused(), errorContext(request)) };
  }
  decodeBody(request.requestId, decision.decoding);
  return decision;
}

function forUser(decision: Extract<FinalDecision, { kind: 'forward' }>, page: string): FinalDecision {
  const { request } = decision;
  return { ...decision, request: { ...request, headers: { ...request.headers, [userHeader]: page } } };
}

/**
 * Adds the browser headers and `no-store` to a response. Without `no-store`, CloudFront would cache responses that
 * functions create.
 */
function answerForAll(answer: BufferedResponse): BufferedResponse {
  const forAll = forBrowsers(answer);
  return { ...forAll, headers: { ...forAll.headers, 'cache-control': neverCached } };
}
