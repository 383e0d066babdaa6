import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { type XmlElement, xmlDocument, xmlText, xmlTextElement } from '../../domain/xml.ts';
import { copied, ownerElements } from '../objects/multipart.ts';
import { type ObjectRequest, openNamed, relay, xmlAnswer } from '../objects/object-request.ts';
import { type RepositoryStorage, toBucketKey, toStorageName } from '../repository-storage.ts';
import { splitRepository } from '../resource.ts';
import { type ListFilter, parseCount, parseListFilter, presentParameters } from './list-input.ts';
import { startInRepository } from './list-objects.ts';
import { createNameWriter, fitEntries, type ListedEntry, nameReader, readEntries, renderEntries } from './list-page.ts';

interface UploadsInput extends ListFilter {
  uploadsMax: number;
  keyMarker: string | undefined;
  uploadIdMarker: string | undefined;
}

interface UploadsPage {
  entries: readonly ListedEntry[];
  isTruncated: boolean;
  nextKey: string | undefined;
  nextUploadId: string | undefined;
}

/** ListMultipartUploads of one repository, with the client's names. Storage always gets the repository's prefix. */
export async function listMultipartUploads(request: ObjectRequest): Promise<Decision> {
  const input = parseInput(request);
  const { repository_id, key: keyPrefix } = splitRepository(input.prefix);
  if (keyPrefix === undefined) {
    throw new ServiceError(
      'not_implemented',
      'Multipart uploads are listed for one repository at a time; give a prefix that starts with <repository>/.',
    );
  }
  const storage = await openNamed(request, repository_id);
  const start = startInRepository(storage, input.keyMarker);
  if (start === 'behind') {
    const page: UploadsPage = { entries: [], isTruncated: false, nextKey: undefined, nextUploadId: undefined };
    return { kind: 'respond', answer: xmlAnswer(request.edgeRequest, renderUploads(input, request.account_id, page)) };
  }
  const query = presentParameters({
    uploads: '',
    prefix: toStorageName(storage, keyPrefix, 'beginning'),
    'max-uploads': String(input.uploadsMax),
    'encoding-type': 'url',
    delimiter: input.delimiter,
    ...(start === 'before' ? {} : { 'key-marker': start.storageKey, 'upload-id-marker': input.uploadIdMarker }),
  });
  return relay(request, {
    storage,
    method: 'GET',
    key: undefined,
    query,
    headers: {},
    rootName: 'ListMultipartUploadsResult',
    rewrite: (root) => {
      const page = readUploads(root, request.account_id, storage);
      // A marker may be the common prefix that ended the previous page. Some storages then list this prefix again.
      const entries = page.entries.filter(({ name, elements }) => elements !== undefined || name !== input.keyMarker);
      return fitEntries(entries, (fitting, isWhole) =>
        renderUploads(input, request.account_id, isWhole ? { ...page, entries } : cutPage(fitting)),
      );
    },
  });
}

function parseInput({ query }: ObjectRequest): UploadsInput {
  return {
    ...parseListFilter(query),
    uploadsMax: parseCount(query, 'max-uploads', limits.listPageMax),
    keyMarker: query.get('key-marker') || undefined,
    uploadIdMarker: query.get('upload-id-marker') || undefined,
  };
}

function readUploads(root: XmlElement, accountId: string, storage: RepositoryStorage): UploadsPage {
  const readName = nameReader(root, (key) => toBucketKey(storage, key));
  const owners = ownerElements(accountId);
  return {
    entries: readEntries(root, 'Upload', readName, (upload) => ({
      elements: copied(upload, ['UploadId']) + owners + copied(upload, shownElements),
      uploadId: xmlText(upload, 'UploadId'),
    })),
    isTruncated: xmlText(root, 'IsTruncated')?.trim() === 'true',
    nextKey: readName(xmlText(root, 'NextKeyMarker')),
    nextUploadId: xmlText(root, 'NextUploadIdMarker'),
  };
}

const shownElements = ['StorageClass', 'Initiated', 'ChecksumAlgorithm', 'ChecksumType'];

function cutPage(entries: readonly ListedEntry[]): UploadsPage {
  const last = entries.at(-1);
  return { entries, isTruncated: true, nextKey: last?.name, nextUploadId: last?.uploadId };
}

function renderUploads(input: UploadsInput, accountId: string, page: UploadsPage): string {
  const name = createNameWriter(input);
  return xmlDocument(
    'ListMultipartUploadsResult',
    [
      xmlTextElement('Bucket', accountId),
      xmlTextElement('KeyMarker', name(input.keyMarker) ?? ''),
      xmlTextElement('UploadIdMarker', input.uploadIdMarker ?? ''),
      xmlTextElement('NextKeyMarker', page.isTruncated ? name(page.nextKey) : undefined),
      xmlTextElement('NextUploadIdMarker', page.isTruncated ? page.nextUploadId : undefined),
      xmlTextElement('Prefix', name(input.prefix)),
      xmlTextElement('Delimiter', name(input.delimiter)),
      xmlTextElement('EncodingType', input.urlEncoded ? 'url' : undefined),
      xmlTextElement('MaxUploads', String(input.uploadsMax)),
      xmlTextElement('IsTruncated', String(page.isTruncated)),
      renderEntries('Upload', page.entries, name),
    ].join(''),
  );
}
