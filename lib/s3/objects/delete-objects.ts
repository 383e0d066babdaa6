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
  const { bucketKeys, quiet } = parseDelete(sent);
  const byRepository = Map.groupBy(bucketKeys, (bucketKey) => splitRepository(bucketKey).repository_id);
  if (byRepository.size > repositoriesMax) {
    throw new ServiceError(
      'invalid_request',
      `Delete objects of at most ${repositoriesMax} repositories in one request.`,
    );
  }
  const opened = await Promise.all(
    Array.from(byRepository, async ([repository_id, keys]) => ({
      storage: await openNamed(request, repository_id).catch(undefinedIfDenied),
      keys,
    })),
  );
  const deletions: Deletion[] = [];
  const refused: string[] = [];
  for (const { storage, keys } of opened) {
    // A key without a slash names a repository, not an object.
    const { inside = [], outside = [] } = Object.groupBy(keys, (key) =>
      storage !== undefined && key.includes('/') ? 'inside' : 'outside',
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

function deleteDocument(storage: RepositoryStorage, bucketKeys: readonly string[], quiet: boolean): string {
  const objects = bucketKeys.map((bucketKey) => {
    const { key = '' } = splitRepository(bucketKey);
    return xmlElement('Object', xmlTextElement('Key', toStorageName(storage, key)));
  });
  return xmlDocument('Delete', xmlTextElement('Quiet', quiet ? 'true' : undefined) + objects.join(''));
}

function parseDelete(body: Uint8Array): { bucketKeys: string[]; quiet: boolean } {
  const root = parseXml(Buffer.from(body).toString('utf8'), 'Delete');
  const objects = xmlChildren(root, 'Object');
  const bucketKeys = objects.map((object) => {
    const key = xmlText(object, 'Key');
    if (key === undefined || key === '' || xmlChildren(object, 'Key').length !== 1)
      throw new ServiceError('malformed_xml', 'Each Object needs one Key.');
    // A version or a condition, such as an ETag. Ignoring it would delete more than the client requested.
    if (object.children.length > 1) {
      throw new ServiceError('not_implemented', 'Objects are deleted by Key alone; leave out everything else.');
    }
    return key;
  });
  if (bucketKeys.length < 1 || bucketKeys.length > limits.listPageMax) {
    throw new ServiceError('malformed_xml', `The request must name 1 to ${limits.listPageMax} objects.`);
  }
  // Assumes the worst case, in which each key returns with an error. A response that is too large must be refused
  // before anything is deleted.
  const answerBytes = bucketKeys.reduce((sum, key) => sum + Buffer.byteLength(escapeXml(key)) + entryBytesMax, 0);
  if (answerBytes > limits.edgeAnswerBytesMax) {
    throw new ServiceError('payload_too_large', 'The keys are too long together; send fewer in one request.');
  }
  return { bucketKeys, quiet: xmlText(root, 'Quiet')?.trim() === 'true' };
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

function renderRefused(bucketKey: string): string {
  const { publicMessage } = accessDenied();
  const reason = xmlTextElement('Code', 'AccessDenied') + xmlTextElement('Message', publicMessage);
  return xmlElement('Error', xmlTextElement('Key', bucketKey) + reason);
}
