import { hash } from 'node:crypto';
import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { checkDigests } from '../body-digests.ts';
import { accessDenied } from '../denied.ts';
import { relayedBody } from '../payload.ts';
import { type RepositoryStorage, toBucketKey, toStorageName, undefinedIfDenied } from '../repository-storage.ts';
import { splitRepository } from '../resource.ts';
import { findShownName, shownError } from '../storage-errors/shown-errors.ts';
import {
  escapeXml,
  parseXml,
  type XmlElement,
  xmlChildren,
  xmlDocument,
  xmlElement,
  xmlText,
  xmlTextElement,
} from '../xml.ts';
import { type ObjectRequest, openNamed, relay } from './object-request.ts';

/** What an answer says of one key besides the key. */
const entryBytesMax = 300;

/** Storage is asked once for each, one after the other. */
const repositoriesMax = 10;

interface Deletion {
  storage: RepositoryStorage;
  /** What storage is sent: every name is found good before anything is deleted. */
  document: string;
}

/**
 * DeleteObjects. Every key is authorized; those that may not be deleted are errors beside the others, and where none
 * may, all of it is refused: some clients look at nothing but the status. An error of a storage ends it, and what is
 * deleted by then is deleted again when the client tries again.
 */
export async function deleteObjects(request: ObjectRequest): Promise<Decision> {
  const sent = relayedBody(request.edgeRequest, request.caller.signature);
  // Storage gets another body, and cannot find what happened to this one on its way.
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
    // Without a slash a key names a repository.
    const { inside = [], beside = [] } = Object.groupBy(keys, (key) =>
      storage !== undefined && key.includes('/') ? 'inside' : 'beside',
    );
    if (storage !== undefined && inside.length > 0) {
      deletions.push({ storage, document: deleteDocument(storage, inside, quiet) });
    }
    refused.push(...beside.map(renderRefused));
  }
  if (deletions.length === 0) throw accessDenied();
  return deleteInTurn(request, deletions, refused);
}

/** `entries` are those of the answer so far. */
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
    // S3 demands a checksum of this body, and the client's is of another one.
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
    // A version, or a condition such as an ETag: without it more would be deleted than was asked for.
    if (object.children.length > 1) {
      throw new ServiceError('not_implemented', 'Objects are deleted by Key alone; leave out everything else.');
    }
    return key;
  });
  if (bucketKeys.length < 1 || bucketKeys.length > limits.listPageMax) {
    throw new ServiceError('malformed_xml', `The request must name 1 to ${limits.listPageMax} objects.`);
  }
  // Worst, each key comes back with an error beside it: an answer too large to give must not follow a deletion.
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
