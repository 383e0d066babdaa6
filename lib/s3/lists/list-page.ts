import { limits } from '../../domain/limits.ts';
import { principalElement } from '../principal-element.ts';
import { encodeKey } from '../resource.ts';
import {
  copyTexts,
  escapeXml,
  type XmlElement,
  xmlChildren,
  xmlDocument,
  xmlElement,
  xmlText,
  xmlTextElement,
} from '../xml.ts';
import type { ListFilter, ListInput } from './list-input.ts';

export interface ListedEntry {
  /** A key or a common prefix, with the client's name. */
  name: string;
  kind: 'object' | 'common_prefix';
  /** XML elements of an object, other than its key and owner. */
  facts: string;
}

export interface ObjectListPage {
  entries: readonly ListedEntry[];
  isTruncated: boolean;
  /** The client's next marker (version 1) or continuation token. */
  next: string | undefined;
}

const shownFacts: ReadonlySet<string> = new Set([
  'LastModified',
  'ETag',
  'ChecksumAlgorithm',
  'ChecksumType',
  'Size',
  'StorageClass',
]);

/** Converts names and tokens of a storage list to the client's. */
interface ListNames {
  /** Returns undefined for a key that the client must not see. */
  toName: (key: string) => string | undefined;
  toToken: (storageToken: string) => string;
}

/** Reads a list from storage. Leaves out keys for which `toName` returns undefined. */
export function readListPage(root: XmlElement, version: 1 | 2, { toName, toToken }: ListNames): ObjectListPage {
  const readName = listedNames(root, toName);
  const entries: ListedEntry[] = [];
  for (const element of xmlChildren(root, 'Contents')) {
    const name = readName(xmlText(element, 'Key'));
    if (name !== undefined) entries.push({ name, kind: 'object', facts: copyTexts(element, shownFacts) });
  }
  for (const element of xmlChildren(root, 'CommonPrefixes')) {
    const name = readName(xmlText(element, 'Prefix'));
    if (name !== undefined) entries.push({ name, kind: 'common_prefix', facts: '' });
  }
  const token = xmlText(root, 'NextContinuationToken');
  return {
    entries,
    isTruncated: xmlText(root, 'IsTruncated')?.trim() === 'true',
    next: version === 1 ? readName(xmlText(root, 'NextMarker')) : token && toToken(token),
  };
}

/** Creates a reader for names in a storage document, which may be percent-encoded. */
export function listedNames(
  root: XmlElement,
  toName: (key: string) => string | undefined,
): (text: string | undefined) => string | undefined {
  const isEncoded = xmlText(root, 'EncodingType') === 'url';
  return (text) => (text === undefined ? undefined : toName(isEncoded ? decodeListed(text) : text));
}

/** Reserved for response headers, which count toward the limit of Lambda@Edge. */
const headersBytesMax = 16 * 1024;

/** Renders all entries, or as many of the first entries as fit into a Lambda@Edge response. */
export function fitEntries<Entry extends { name: string }>(
  all: readonly Entry[],
  render: (entries: readonly Entry[], isWhole: boolean) => string,
): string {
  const bytesMax = limits.edgeAnswerBytesMax - headersBytesMax;
  const whole = render(all, true);
  if (Buffer.byteLength(whole) <= bytesMax) return whole;
  // Storage sorts keys and common prefixes separately. A shortened page must end both at the same name.
  let entries = all.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  for (;;) {
    entries = entries.slice(0, Math.floor(entries.length * 0.8));
    const document = render(entries, false);
    if (entries.length === 0 || Buffer.byteLength(document) <= bytesMax) return document;
  }
}

/** Creates a function that writes names in the encoding that the client requested. */
export function createNameWriter({ urlEncoded }: Pick<ListFilter, 'urlEncoded'>) {
  return (text: string | undefined) => text && (urlEncoded ? encodeKey(text) : text);
}

/** Renders the client's document. Apart from elements of objects, all data comes from the request, not from storage. */
export function renderListPage(
  input: ListInput,
  accountId: string,
  { entries, isTruncated, next }: ObjectListPage,
): string {
  const name = createNameWriter(input);
  const ownerOfEach = input.withOwner ? principalElement('Owner', accountId) : '';
  let listed = '';
  for (const entry of entries) {
    const shown = escapeXml(name(entry.name) ?? '');
    listed +=
      entry.kind === 'common_prefix'
        ? `<CommonPrefixes><Prefix>${shown}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${shown}</Key>${entry.facts}${ownerOfEach}</Contents>`;
  }
  const position =
    input.version === 1
      ? [xmlElement('Marker', escapeXml(name(input.after) ?? '')), xmlTextElement('NextMarker', name(next))]
      : [
          xmlTextElement('StartAfter', name(input.after)),
          xmlTextElement('ContinuationToken', input.continuationToken),
          xmlTextElement('NextContinuationToken', next),
          xmlTextElement('KeyCount', String(entries.length)),
        ];
  return xmlDocument(
    'ListBucketResult',
    [
      xmlTextElement('Name', accountId),
      xmlElement('Prefix', escapeXml(name(input.prefix) ?? '')),
      xmlTextElement('Delimiter', name(input.delimiter)),
      xmlTextElement('MaxKeys', String(input.keysMax)),
      xmlTextElement('EncodingType', input.urlEncoded ? 'url' : undefined),
      xmlTextElement('IsTruncated', String(isTruncated)),
      ...position,
      listed,
    ].join(''),
  );
}

// Some storages encode a space as a plus, as HTML forms do. A literal plus always arrives as %2B.
function decodeListed(text: string): string {
  try {
    return decodeURIComponent(text.includes('+') ? text.replaceAll('+', '%20') : text);
  } catch {
    return text;
  }
}
