import { limits } from '../../domain/limits.ts';
import {
  copyTexts,
  escapeXml,
  type XmlElement,
  xmlChildren,
  xmlDocument,
  xmlElement,
  xmlText,
  xmlTextElement,
} from '../../domain/xml.ts';
import { encodeKey } from '../resource.ts';
import { principalElement } from '../response.ts';
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
  for (const element of ofOnePage(xmlChildren(root, 'Contents'))) {
    const name = readName(xmlText(element, 'Key'));
    if (name !== undefined) entries.push({ name, kind: 'object', facts: copyTexts(element, shownFacts) });
  }
  for (const element of ofOnePage(xmlChildren(root, 'CommonPrefixes'))) {
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

/** Leaves out what a storage sends beyond a page. One more entry remains, which shows that the list continues. */
export function ofOnePage(elements: readonly XmlElement[]): readonly XmlElement[] {
  return elements.slice(0, limits.listPageMax + 1);
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
  // A storage may send more than a page holds; its list continues behind what is shown.
  const isOnePage = all.length <= limits.listPageMax;
  if (isOnePage && lengthOf(all) <= bytesMax / 8) {
    const whole = render(all, true);
    if (Buffer.byteLength(whole) <= bytesMax) return whole;
  }
  // Storage sorts keys and common prefixes separately. A shortened page must end both at the same name.
  const sorted = sortedByName(all).slice(0, limits.listPageMax);
  // A character of a name can take nine bytes, so a part of the names shows how many fit.
  const sample = withinLength(sorted, bytesMax / 8);
  const lengthMax = (lengthOf(sample) * bytesMax) / Buffer.byteLength(render(sample, false));
  if (isOnePage && lengthOf(all) <= 1.2 * lengthMax) {
    const whole = render(all, true);
    if (Buffer.byteLength(whole) <= bytesMax) return whole;
  }
  let entries = withinLength(sorted, lengthMax);
  for (;;) {
    const document = render(entries, false);
    const bytes = Buffer.byteLength(document);
    if (entries.length === 0 || bytes <= bytesMax) return document;
    entries = entries.slice(0, Math.floor(entries.length * Math.min(0.95, bytesMax / bytes)));
  }
}

function lengthOf(entries: readonly { name: string }[]): number {
  return entries.reduce((sum, { name }) => sum + name.length, 0);
}

function sortedByName<Entry extends { name: string }>(entries: readonly Entry[]): Entry[] {
  const keyed = entries.map((entry) => ({ entry, bytes: Buffer.from(entry.name) }));
  return keyed.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ entry }) => entry);
}

/** Returns the first entries whose names have at most so many characters together. */
function withinLength<Entry extends { name: string }>(entries: readonly Entry[], lengthMax: number): readonly Entry[] {
  let length = 0;
  const beyond = entries.findIndex(({ name }) => {
    length += name.length;
    return length > lengthMax;
  });
  return beyond < 0 ? entries : entries.slice(0, beyond);
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
