import { hash } from 'node:crypto';
import type { Decision } from '../domain/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { splitRepository } from './address.ts';
import { type ObjectRequest, openNamed, relay } from './object-request.ts';
import { relayedBody } from './payload.ts';
import { accessDenied, type RepositoryStorage, toBucketKey, toStorageName } from './repository-storage.ts';
import { shownError } from './response.ts';
import {
  escapeXml,
  parseXml,
  type XmlElement,
  xmlChildren,
  xmlDocument,
  xmlElement,
  xmlText,
  xmlTextElement,
} from './xml.ts';

/** What an answer says of one key besides the key. */
const entryBytesMax = 300;

/** DeleteObjects. All keys are of one repository, since one request to storage deletes them. */
export async function deleteObjects(asked: ObjectRequest): Promise<Decision> {
  const { bucketKeys, quiet } = parseDelete(relayedBody(asked.request, asked.caller.signature));
  const keys = bucketKeys.map(splitRepository);
  const repository_id = keys[0]?.repository_id ?? '';
  if (keys.some((key) => key.repository_id !== repository_id)) {
    throw new ServiceError('not_implemented', 'Delete the objects of one repository at a time.');
  }
  const storage = await openNamed(asked, repository_id);
  const objects = keys.map(({ key }) => {
    if (key === undefined) throw accessDenied();
    return xmlElement('Object', xmlTextElement('Key', toStorageName(storage, key)));
  });
  const document = xmlDocument('Delete', xmlTextElement('Quiet', quiet ? 'true' : undefined) + objects.join(''));
  const body = Buffer.from(document, 'utf8');
  return relay(asked, {
    storage,
    method: 'POST',
    key: undefined,
    query: [['delete', '']],
    // S3 demands a checksum of this body, and the client's is of another one.
    headers: { 'content-type': 'application/xml', 'content-md5': hash('md5', body, 'base64') },
    body,
    rootName: 'DeleteResult',
    rewrite: (root) => renderDeleteResult(root, storage),
  });
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
      throw new ServiceError('not_implemented', 'Objects are deleted by their Key alone here.');
    }
    return key;
  });
  if (bucketKeys.length < 1 || bucketKeys.length > limits.listPageMax) {
    throw new ServiceError('malformed_xml', `The request must name 1 to ${limits.listPageMax} objects.`);
  }
  // Worst, each key comes back with an error beside it: an answer too large to give must not follow a deletion.
  const answerBytes = bucketKeys.reduce((sum, key) => sum + Buffer.byteLength(escapeXml(key)) + entryBytesMax, 0);
  if (answerBytes > limits.edgeAnswerBytesMax) {
    throw new ServiceError('payload_too_large', 'The keys are too long to be deleted together; send fewer at a time.');
  }
  return { bucketKeys, quiet: xmlText(root, 'Quiet')?.trim() === 'true' };
}

function renderDeleteResult(result: XmlElement, storage: RepositoryStorage): string {
  const key = (element: XmlElement) => xmlTextElement('Key', toBucketKey(storage, xmlText(element, 'Key') ?? ''));
  const deleted = xmlChildren(result, 'Deleted').map((element) => xmlElement('Deleted', key(element)));
  const errors = xmlChildren(result, 'Error').map((element) => {
    const { code, message } = shownError(xmlText(element, 'Code') ?? '');
    return xmlElement('Error', key(element) + xmlTextElement('Code', code) + xmlTextElement('Message', message));
  });
  return xmlDocument('DeleteResult', [...deleted, ...errors].join(''));
}
