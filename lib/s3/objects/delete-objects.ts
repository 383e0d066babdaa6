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
import { type ObjectRequest, openNamed, relay } from './object-request.ts';

/** Size of one entry in the response, without its key. */
const entryBytesMax = 300;

/** Each repository costs one storage request, and these run one after another. */
const repositoriesMax = 10;

interface NamedObject {
  bucketKey: string;
  /** Storage deletes the object only if it has this ETag. */
  etag: string | undefined;
}

interface Deletion {
  storage: RepositoryStorage;
  /** The request body for storage. All names are validated before the first deletion. */
  document: string;
}

/**
 * DeleteObjects. Authorizes every key. Keys that the caller may not delete become error entries. If the caller may
 * delete none of them, the whole request is refused, because some clients read the status only.
 *
 * A storage error ends the request. A client that retries deletes the same keys again, which has no further effect.
 */
export async function deleteObjects(request: ObjectRequest): Promise<Decision> {
  const sent = relayedBody(request.edgeRequest, request.caller.signature);
  // Storage gets a different body, so it cannot check the digests of this one.
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
    // A key without a slash names a repository, not an object.
    const { inside = [], outside = [] } = Object.groupBy(objects, ({ bucketKey }) =>
      storage !== undefined && bucketKey.includes('/') ? 'inside' : 'outside',
    );
    if (storage !== undefined && inside.length > 0) {
      deletions.push({ storage, document: deleteDocument(storage, inside, quiet) });
    }
    refused.push(...outside.map(renderRefused));
  }
  if (deletions.length === 0) throw accessDenied();
  return deleteInTurn(request, deletions, refused);
}

/** Deletes the objects of one repository after another. `entries` are the response entries so far. */
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
    // S3 requires a checksum of this body. The client's checksum belongs to a different body.
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
    // A version or another condition. Ignoring it would delete more than the client requested.
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
  // Assumes the worst case, in which each key returns with an error. A response that is too large must be refused
  // before anything is deleted.
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

function renderRefused({ bucketKey }: NamedObject): string {
  const { publicMessage } = accessDenied();
  const reason = xmlTextElement('Code', 'AccessDenied') + xmlTextElement('Message', publicMessage);
  return xmlElement('Error', xmlTextElement('Key', bucketKey) + reason);
}
