import { hash } from 'node:crypto';
import { limits } from '../domain/limits.ts';
import { parseXml, xmlChildren, xmlDocument, xmlElement, xmlText, xmlTextElement } from '../domain/xml.ts';
import type { SendJobRequest } from './job-requests.ts';
import { isSafeKey, type RepositoryStorage } from './repository-storage.ts';

interface DeletedPage {
  /** The keys that the storage deleted. */
  deleted: ReadonlySet<string>;
  /**
   * The number of keys that the service does not send to the storage, because the storage could delete other objects
   * under these keys.
   */
  unsafe: number;
  /** The number of keys that the storage refused to delete. */
  refused: number;
  /** True if the storage wrote a delete marker. It then still stores earlier versions of the objects. */
  writesMarkers: boolean;
}

/** Matches characters that no XML document can contain, and a carriage return, which parsers change. */
const notInXml = /[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Deletes objects of a repository, at most as many as one page of a list has. A key that XML cannot contain needs a
 * request of its own. The function sends no further request after `isOver` returns true.
 */
export async function deletePage(
  send: SendJobRequest,
  storage: RepositoryStorage,
  { keys, isOver }: { keys: readonly string[]; isOver: () => boolean },
): Promise<DeletedPage> {
  const safe = keys.filter((key) => isSafeKey(storage, key));
  const inDocument = safe.filter((key) => !notInXml.test(key));
  const deleted = new Set<string>();
  let writesMarkers = false;
  let refused = 0;
  if (inDocument.length > 0) {
    const objects = inDocument.map((key) => xmlElement('Object', xmlTextElement('Key', storage.prefix + key)));
    const body = Buffer.from(xmlDocument('Delete', objects.join('')), 'utf8');
    // S3 requires a checksum of the body for DeleteObjects.
    const headers = { 'content-type': 'application/xml', 'content-md5': hash('md5', body, 'base64') };
    const query: [string, string][] = [['delete', '']];
    const answer = await send('delete the files', storage, { method: 'POST', query, headers, body });
    const root = parseXml(answer.body.toString('utf8').trim(), 'DeleteResult', limits.storageXmlElementsMax);
    const sent = new Set(inDocument);
    for (const element of xmlChildren(root, 'Deleted')) {
      const key = xmlText(element, 'Key')?.slice(storage.prefix.length);
      if (key !== undefined && sent.has(key)) deleted.add(key);
      if (xmlText(element, 'DeleteMarker')?.trim() === 'true') writesMarkers = true;
    }
    refused = inDocument.length - deleted.size;
  }
  for (const key of safe.filter((one) => notInXml.test(one))) {
    if (isOver()) break;
    const { headers } = await send('delete a file', storage, { method: 'DELETE', key });
    deleted.add(key);
    if (headers['x-amz-delete-marker'] === 'true') writesMarkers = true;
  }
  return { deleted, writesMarkers, unsafe: keys.length - safe.length, refused };
}
