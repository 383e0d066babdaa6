import { hash } from 'node:crypto';
import type { Decision, HeaderFields } from '../../domain/data/decision.ts';
import { type XmlElement, xmlChildren, xmlDocument, xmlElement, xmlText, xmlTextElement } from '../../domain/xml.ts';
import { headersForRelay } from '../headers.ts';
import { checkDigests, relayedBody } from '../payload.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { findInVersion } from '../versions/open-version.ts';
import { readVersion } from './forward.ts';
import { type ObjectRequest, openObject, relay, xmlAnswer } from './object-request.ts';

/**
 * Implements GetObjectTagging. Parses the document of the storage and renders it again. Some storage returns status 200
 * with an error document, which would reveal the storage to clients.
 */
export async function getObjectTagging(request: ObjectRequest): Promise<Decision> {
  const get = (storage: RepositoryStorage, key: string) => {
    const versionId = request.query.get('versionId');
    const ofVersion = versionId === undefined ? [] : [['versionId', versionId] as const];
    return relay(request, {
      storage,
      method: 'GET',
      key,
      query: [['tagging', ''], ...ofVersion],
      headers: headersForRelay(request.headers),
      rootName: 'Tagging',
      rewrite: (root) => xmlDocument('Tagging', xmlElement('TagSet', tagsOf(root).join(''))),
    });
  };
  const { version } = request;
  if (version !== undefined) {
    // Return no tags for an object in a repository version. Tags can change after the version was created, so they are
    // not a part of the version.
    await findInVersion(request, { ...request, version });
    const document = xmlDocument('Tagging', xmlElement('TagSet', ''));
    return { kind: 'respond', answer: xmlAnswer(request.edgeRequest, document) };
  }
  if (request.operation.needs.includes('versionId')) return readVersion(request, get);
  const { storage, key } = await openObject(request);
  return get(storage, key);
}

/** Implements PutObjectTagging. The tags are sent to storage unchanged, because they contain no names. */
export async function putObjectTagging(request: ObjectRequest): Promise<Decision> {
  const { storage, key } = await openObject(request);
  const body = relayedBody(request.edgeRequest, request.caller.signature);
  checkDigests(request.headers, body);
  // S3 requires a digest of the body for PutObjectTagging. The client's checksum may use an algorithm that the storage
  // does not support, so send an MD5.
  const headers = { ...headersForRelay(request.headers), 'content-md5': hash('md5', body, 'base64') };
  return relay(request, taggingCall('PUT', { storage, key }, headers, body));
}

export async function deleteObjectTagging(request: ObjectRequest): Promise<Decision> {
  return relay(request, taggingCall('DELETE', await openObject(request), headersForRelay(request.headers)));
}

function taggingCall(
  method: 'PUT' | 'DELETE',
  object: { storage: RepositoryStorage; key: string },
  headers: HeaderFields,
  body: Uint8Array = new Uint8Array(),
) {
  return { ...object, method, query: [['tagging', '']] as const, headers, body };
}

function tagsOf(root: XmlElement): string[] {
  return xmlChildren(root, 'TagSet')
    .flatMap((tagSet) => xmlChildren(tagSet, 'Tag'))
    .map((tag) => {
      const parts = ['Key', 'Value'].map((name) => xmlTextElement(name, xmlText(tag, name) ?? ''));
      return xmlElement('Tag', parts.join(''));
    });
}
