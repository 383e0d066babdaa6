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
  /** A key or a common prefix, with the client's name. */
  name: string;
  /** XML elements after the key. Undefined for a common prefix. */
  elements: string | undefined;
  /** The XML element of the entry. The default is `Contents`. */
  element?: EntryElement;
  /** The ID of an upload or of a version. */
  id?: string | undefined;
}

export interface ObjectListPage {
  entries: readonly ListedEntry[];
  isTruncated: boolean;
  /** The client's next marker (version 1) or continuation token. */
  next: string | undefined;
}

const copiedElements = new Set(['LastModified', 'ETag', 'ChecksumAlgorithm', 'ChecksumType', 'Size', 'StorageClass']);

/** Converts names and tokens of a storage list to the client's. */
interface ListNames {
  /** Returns undefined for a key that the client must not see. */
  toName: (key: string) => string | undefined;
  toToken: (storageToken: string) => string;
}

/** Reads a list from storage. Leaves out keys for which `toName` returns undefined. */
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

/** Creates a reader for names in a storage document, which may be percent-encoded. */
export function nameReader(root: XmlElement, toName: (key: string) => string | undefined): NameReader {
  const isEncoded = xmlText(root, 'EncodingType') === 'url';
  return (text) => (text === undefined ? undefined : toName(isEncoded ? decodeListed(text) : text));
}

/**
 * Reads the keys and common prefixes of a list, in the order of the document. Leaves out what a storage sends beyond a
 * page, except one more entry, which shows that the list continues.
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

/** Reserved for response headers, which count toward the limit of Lambda@Edge. */
const headersBytesMax = 16 * 1024;

/** Renders all entries, or as many of the first entries as fit into a Lambda@Edge response. */
export function fitEntries(
  all: readonly ListedEntry[],
  render: (entries: readonly ListedEntry[], isWhole: boolean) => string,
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

function lengthOf(entries: readonly ListedEntry[]): number {
  return entries.reduce((sum, { name }) => sum + name.length, 0);
}

function sortedByName(entries: readonly ListedEntry[]): ListedEntry[] {
  const keyed = entries.map((entry) => ({ entry, bytes: Buffer.from(entry.name) }));
  return keyed.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ entry }) => entry);
}

/** Returns the first entries. Their names together have at most `lengthMax` characters. */
function withinLength(entries: readonly ListedEntry[], lengthMax: number): readonly ListedEntry[] {
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

/** Renders the client's document. Apart from entries, all data comes from the request, not from storage. */
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

// Some storages encode a space as a plus, as HTML forms do. A literal plus always arrives as %2B.
function decodeListed(text: string): string {
  try {
    return decodeURIComponent(text.includes('+') ? text.replaceAll('+', '%20') : text);
  } catch {
    return text;
  }
}
