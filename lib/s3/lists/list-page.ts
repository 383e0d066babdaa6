import { afterReservedKeys, isReservedKey } from '../../domain/data/reserved-keys.ts';
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

type EntryElement = 'Contents' | 'Upload' | 'Version' | 'DeleteMarker';

export interface ListedEntry {
  /** The key or common prefix that the client sees. It begins with the repository ID. */
  name: string;
  /** The XML elements of a list entry that follow its key. Undefined for a common prefix. */
  elements: string | undefined;
  /** The name of the entry's XML element. The default is `Contents`. */
  element?: EntryElement;
  /** The ID of the listed upload or object version. */
  id?: string | undefined;
}

export interface ObjectListPage {
  entries: readonly ListedEntry[];
  isTruncated: boolean;
  /** The marker (version 1) or continuation token that the client sends for the next page. */
  next: string | undefined;
}

const copiedElements = new Set(['LastModified', 'ETag', 'ChecksumAlgorithm', 'ChecksumType', 'Size', 'StorageClass']);

/** Functions that convert the keys and tokens of a storage list to those that the client sees. */
interface ListNames {
  /** Returns the client's key for a storage key. Returns undefined for a key that the client must not see. */
  toName: (key: string) => string | undefined;
  toToken: (storageToken: string) => string;
}

/** Parses a list from storage. Leaves out keys for which `toName` returns undefined. */
export function readListPage(
  root: XmlElement,
  { version, withOwner }: ListInput,
  accountId: string,
  { toName, toToken }: ListNames,
): ObjectListPage {
  const readName = nameReader(root, toName);
  const owner = withOwner ? principalElement('Owner', accountId) : '';
  const token = xmlText(root, 'NextContinuationToken');
  return {
    entries: readEntries(root, ['Contents'], readName, (element) => ({
      elements: copyTexts(element, copiedElements) + owner,
    })),
    isTruncated: xmlText(root, 'IsTruncated')?.trim() === 'true',
    next: version === 1 ? readName(xmlText(root, 'NextMarker')) : token && toToken(token),
  };
}

type NameReader = (text: string | undefined) => string | undefined;

/** Creates a function that reads names in a document of the storage, which may be percent-encoded. */
export function nameReader(root: XmlElement, toName: (key: string) => string | undefined): NameReader {
  const isEncoded = xmlText(root, 'EncodingType') === 'url';
  return (text) => (text === undefined ? undefined : toName(isEncoded ? decodeListed(text) : text));
}

/**
 * Parses the keys and common prefixes of a list, in the order of the document. If the storage sends more entries than a
 * page has, takes one entry more than a page, which shows that the list continues.
 */
export function readEntries(
  root: XmlElement,
  elementNames: readonly EntryElement[],
  readName: NameReader,
  describe: (element: XmlElement) => Omit<ListedEntry, 'name'>,
): ListedEntry[] {
  const entries: ListedEntry[] = [];
  const read = (children: readonly XmlElement[], nameElement: string, describeChild: typeof describe) => {
    for (const element of children.slice(0, limits.listPageMax + 1)) {
      const name = readName(xmlText(element, nameElement));
      if (name !== undefined) entries.push({ name, ...describeChild(element) });
    }
  };
  const described = (element: XmlElement) => {
    const entry = elementNames.find((name) => name === element.name);
    return { ...describe(element), ...(entry === undefined ? {} : { element: entry }) };
  };
  const names: readonly string[] = elementNames;
  read(
    root.children.filter(({ name }) => names.includes(name)),
    'Key',
    described,
  );
  read(xmlChildren(root, 'CommonPrefixes'), 'Prefix', () => ({ elements: undefined }));
  return entries;
}

/**
 * Removes the entries of keys that only the service uses. If the page ends with such an entry, this function also
 * returns the name after which the next page begins.
 */
export function withoutReserved(
  entries: readonly ListedEntry[],
  repositoryId: string,
): { entries: readonly ListedEntry[]; continueAfter?: string } {
  const start = `${repositoryId}/`;
  const isReserved = ({ name }: ListedEntry) => name.startsWith(start) && isReservedKey(name.slice(start.length));
  const shown = entries.filter((entry) => !isReserved(entry));
  if (shown.length === entries.length) return { entries };
  const last = sortedByName(entries).at(-1);
  return { entries: shown, ...(last && isReserved(last) ? { continueAfter: start + afterReservedKeys } : {}) };
}

export function renderEntries(entries: readonly ListedEntry[], writeName: ReturnType<typeof createNameWriter>): string {
  let listed = '';
  for (const { name, elements, element = 'Contents' } of entries) {
    const shown = escapeXml(writeName(name) ?? '');
    listed +=
      elements === undefined
        ? `<CommonPrefixes><Prefix>${shown}</Prefix></CommonPrefixes>`
        : `<${element}><Key>${shown}</Key>${elements}</${element}>`;
  }
  return listed;
}

/**
 * The number of bytes that are reserved for response headers. They count toward the size limit of a Lambda@Edge
 * response.
 */
const headersBytesMax = 16 * 1024;

/**
 * Renders the entries of a list. If they do not fit into a Lambda@Edge response, renders as many of the first entries
 * as fit.
 */
export function fitEntries(
  all: readonly ListedEntry[],
  render: (entries: readonly ListedEntry[], isWhole: boolean) => string,
): string {
  const bytesMax = limits.edgeAnswerBytesMax - headersBytesMax;
  // Storage may send more entries than a page can have. The proxy then cuts the page, and the list continues after it.
  const isOnePage = all.length <= limits.listPageMax;
  if (isOnePage && lengthOf(all) <= bytesMax / 8) {
    const whole = render(all, true);
    if (Buffer.byteLength(whole) <= bytesMax) return whole;
  }
  // Storage sorts keys and common prefixes separately. A page that is cut must end at one name for both, so sort them
  // together.
  const sorted = sortedByName(all).slice(0, limits.listPageMax);
  // One character of a name can become up to nine bytes, so the lengths of names do not show how many entries fit.
  // Render some of the entries to find the average number of bytes for each character.
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

function lengthOf(entries: readonly ListedEntry[]): number {
  return entries.reduce((sum, { name }) => sum + name.length, 0);
}

function sortedByName(entries: readonly ListedEntry[]): ListedEntry[] {
  const keyed = entries.map((entry) => ({ entry, bytes: Buffer.from(entry.name) }));
  return keyed.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ entry }) => entry);
}

/** Returns the first entries whose names have at most `lengthMax` characters in total. */
function withinLength(entries: readonly ListedEntry[], lengthMax: number): readonly ListedEntry[] {
  let length = 0;
  const beyond = entries.findIndex(({ name }) => {
    length += name.length;
    return length > lengthMax;
  });
  return beyond < 0 ? entries : entries.slice(0, beyond);
}

/** Creates a function that encodes names as the client requested. */
export function createNameWriter({ urlEncoded }: Pick<ListFilter, 'urlEncoded'>) {
  return (text: string | undefined) => text && (urlEncoded ? encodeKey(text) : text);
}

/**
 * Renders the list document for the client. The entries come from storage. All other parts come from the client's
 * request.
 */
export function renderListPage(
  input: ListInput,
  accountId: string,
  { entries, isTruncated, next }: ObjectListPage,
): string {
  const name = createNameWriter(input);
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
      renderEntries(entries, name),
    ].join(''),
  );
}

// Replaces a plus sign by a space. Some storage encodes a space as a plus sign, as HTML forms do. A plus sign in a key
// always arrives as %2B.
function decodeListed(text: string): string {
  try {
    return decodeURIComponent(text.includes('+') ? text.replaceAll('+', '%20') : text);
  } catch {
    return text;
  }
}
