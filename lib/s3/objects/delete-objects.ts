import { hash } from 'node:crypto';
import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import {
  escapeXml,
  parseXml,
  type XmlElement,
  xmlChildren,
  xmlDocument,
  xmlElement,
  xmlText,
  xmlTextElement,
} from '../../domain/xml.ts';
import { accessDenied } from '../errors.ts';
import { checkDigests, relayedBody } from '../payload.ts';
import { type RepositoryStorage, toBucketKey, toStorageName, undefinedIfDenied } from '../repository-storage.ts';
import { splitRepository } from '../resource.ts';
import { findShownName, shownError } from '../storage-errors/shown-errors.ts';
import { versionsAreReadOnly } from '../versions/open-version.ts';
import { type ObjectRequest, openNamed, relay } from './object-request.ts';

/** The maximum size in bytes of one response entry, without its key. */
const entryBytesMax = 300;

/**
 * The maximum number of repositories in one DeleteObjects request. Each repository needs a storage request, and these
 * run one after another.
 */
const repositoriesMax = 10;

interface NamedObject {
  bucketKey: string;
  /** The ETag that the object must have. With another ETag, the storage does not delete the object. */
  etag: string | undefined;
}

interface Deletion {
  storage: RepositoryStorage;
  /**
   * The request body for the storage. The proxy builds the bodies for all repositories before the first deletion, so
   * that a request with an invalid name deletes nothing.
   */
  document: string;
}

/**
 * Implements DeleteObjects. Checks the right to delete for each key. A key that the caller may not delete becomes an
 * error entry. If the caller may delete none of the keys, the proxy refuses the whole request, because some clients
 * only look at the status.
 *
 * An error of the storage ends the request. The client then retries and names keys again that are already deleted,
 * which has no effect.
 */
export async function deleteObjects(request: ObjectRequest): Promise<Decision> {
  const sent = relayedBody(request.edgeRequest, request.caller.signature);
  // Check the digests of the client here. Storage gets another body, so it cannot check them.
  checkDigests(request.headers, sent);
  const { named, quiet } = parseDelete(sent);
  const byRepository = Map.groupBy(named, ({ bucketKey }) => splitRepository(bucketKey).repository_id);
  if (byRepository.size > repositoriesMax) {
    throw new ServiceError(
      'invalid_request',
      `Delete objects of at most ${repositoriesMax} repositories in one request.`,
    );
  }
  const opened = await Promise.all(
    Array.from(byRepository, async ([repository_id, objects]) => ({
      storage: await openNamed(request, repository_id).catch(undefinedIfDenied),
      objects,
    })),
  );
  const deletions: Deletion[] = [];
  const refused: string[] = [];
  for (const { storage, objects } of opened) {
    // A key without a slash is the name of a repository, and not of an object in it.
    const { inside = [], outside = [] } = Object.groupBy(objects, ({ bucketKey }) =>
      storage !== undefined && bucketKey.includes('/') ? 'inside' : 'outside',
    );
    if (storage !== undefined && inside.length > 0) {
      deletions.push({ storage, document: deleteDocument(storage, inside, quiet) });
    }
    refused.push(...outside.map(renderRefused));
  }
  if (deletions.length === 0) throw refusalFor(named[0]);
  return deleteInTurn(request, deletions, refused);
}

/**
 * Deletes the objects of one repository after another. `entries` contains the response entries that were created so
 * far.
 */
function deleteInTurn(
  request: ObjectRequest,
  [deletion, ...others]: readonly Deletion[],
  entries: readonly string[],
): Decision {
  if (deletion === undefined) throw new Error('nothing is left to delete');
  const { storage, document } = deletion;
  const body = Buffer.from(document, 'utf8');
  const entriesWith = (root: XmlElement) => [...entries, ...resultEntries(root, storage)];
  return relay(request, {
    storage,
    method: 'POST',
    key: undefined,
    query: [['delete', '']],
    // S3 requires a checksum for DeleteObjects. The client's checksum is for another body.
    headers: { 'content-type': 'application/xml', 'content-md5': hash('md5', body, 'base64') },
    body,
    rootName: 'DeleteResult',
    rewrite: (root) => xmlDocument('DeleteResult', entriesWith(root).join('')),
    follow: others.length === 0 ? undefined : (root) => deleteInTurn(request, others, entriesWith(root)),
  });
}

function deleteDocument(storage: RepositoryStorage, named: readonly NamedObject[], quiet: boolean): string {
  const objects = named.map(({ bucketKey, etag }) => {
    const { key = '' } = splitRepository(bucketKey);
    return xmlElement('Object', xmlTextElement('Key', toStorageName(storage, key)) + xmlTextElement('ETag', etag));
  });
  return xmlDocument('Delete', xmlTextElement('Quiet', quiet ? 'true' : undefined) + objects.join(''));
}

function parseDelete(body: Uint8Array): { named: NamedObject[]; quiet: boolean } {
  const root = parseXml(Buffer.from(body).toString('utf8'), 'Delete');
  const objects = xmlChildren(root, 'Object');
  const named = objects.map((object) => {
    const bucketKey = xmlText(object, 'Key');
    if (bucketKey === undefined || bucketKey === '' || xmlChildren(object, 'Key').length !== 1)
      throw new ServiceError('malformed_xml', 'Each Object needs one Key.');
    const etag = xmlText(object, 'ETag');
    // Refuse an entry that contains a version ID or an unsupported condition. If the proxy ignored these elements,
    // storage would delete more than the client requested.
    if (object.children.length > (etag === undefined ? 1 : 2)) {
      throw new ServiceError(
        'not_implemented',
        'Objects are deleted by Key, and only if they have the ETag; leave out everything else.',
      );
    }
    return { bucketKey, etag };
  });
  if (named.length < 1 || named.length > limits.listPageMax) {
    throw new ServiceError('malformed_xml', `The request must name 1 to ${limits.listPageMax} objects.`);
  }
  // Check the size of the response before anything is deleted. Assume the worst case, in which every key becomes an
  // error entry.
  const answerBytes = named.reduce(
    (sum, { bucketKey }) => sum + Buffer.byteLength(escapeXml(bucketKey)) + entryBytesMax,
    0,
  );
  if (answerBytes > limits.edgeAnswerBytesMax) {
    throw new ServiceError('payload_too_large', 'The keys are too long together; send fewer in one request.');
  }
  return { named, quiet: xmlText(root, 'Quiet')?.trim() === 'true' };
}

function resultEntries(result: XmlElement, storage: RepositoryStorage): string[] {
  const key = (element: XmlElement) => xmlTextElement('Key', toBucketKey(storage, xmlText(element, 'Key') ?? ''));
  const deleted = xmlChildren(result, 'Deleted').map((element) => xmlElement('Deleted', key(element)));
  const errors = xmlChildren(result, 'Error').map((element) => {
    const { code, message } = shownError(findShownName(xmlText(element, 'Code')) ?? 'InternalError');
    return xmlElement('Error', key(element) + xmlTextElement('Code', code) + xmlTextElement('Message', message));
  });
  return [...deleted, ...errors];
}

function refusalFor(named: NamedObject | undefined): ServiceError {
  const version = named && splitRepository(named.bucketKey).version;
  return version === undefined ? accessDenied() : versionsAreReadOnly(version);
}

function renderRefused(named: NamedObject): string {
  const { code, publicMessage } = refusalFor(named);
  const shownCode = code === 'method_not_allowed' ? 'MethodNotAllowed' : 'AccessDenied';
  const reason = xmlTextElement('Code', shownCode) + xmlTextElement('Message', publicMessage);
  return xmlElement('Error', xmlTextElement('Key', named.bucketKey) + reason);
}
