import { encodeKey } from './address.ts';
import type { Continuations } from './continuation.ts';
import type { ListInput } from './list-objects.ts';
import { escapeXml, type XmlElement, xmlChildren, xmlDocument, xmlElement, xmlText, xmlTextElement } from './xml.ts';

export interface ListedEntry {
  /** A key, or a common prefix, as the client names it. */
  name: string;
  kind: 'object' | 'common_prefix';
  /** Of an object: elements other than its key and owner. */
  facts: readonly (readonly [name: string, value: string])[];
}

export interface ListPage {
  entries: readonly ListedEntry[];
  isTruncated: boolean;
  /** The client's next marker (version 1) or continuation token. */
  next: string | undefined;
}

const shownFacts = ['LastModified', 'ETag', 'ChecksumAlgorithm', 'ChecksumType', 'Size', 'StorageClass'];

/** Reads a list of storage; keys that `toName` does not know are left out. */
export function readListPage(
  root: XmlElement,
  version: 1 | 2,
  toName: (key: string) => string | undefined,
  continuations: Continuations,
): ListPage {
  const isEncoded = xmlText(root, 'EncodingType') === 'url';
  const readName = (text: string | undefined) => {
    if (text === undefined) return undefined;
    return toName(isEncoded ? decodeListed(text) : text);
  };
  const entries: ListedEntry[] = [];
  for (const element of xmlChildren(root, 'Contents')) {
    const name = readName(xmlText(element, 'Key'));
    if (name !== undefined) entries.push({ name, kind: 'object', facts: readFacts(element) });
  }
  for (const element of xmlChildren(root, 'CommonPrefixes')) {
    const name = readName(xmlText(element, 'Prefix'));
    if (name !== undefined) entries.push({ name, kind: 'common_prefix', facts: [] });
  }
  const token = xmlText(root, 'NextContinuationToken');
  return {
    entries,
    isTruncated: xmlText(root, 'IsTruncated')?.trim() === 'true',
    next:
      version === 1 ? readName(xmlText(root, 'NextMarker')) : token && continuations.format({ kind: 'storage', token }),
  };
}

/** The client's document. Everything but the entries' facts comes from the request, so nothing of storage shows. */
export function renderListPage(input: ListInput, accountId: string, { entries, isTruncated, next }: ListPage): string {
  const name = (text: string | undefined) => text && (input.urlEncoded ? encodeKey(text) : text);
  const owner = xmlElement('Owner', xmlTextElement('ID', accountId) + xmlTextElement('DisplayName', accountId));
  const listed = entries.map((entry) => {
    if (entry.kind === 'common_prefix') return xmlElement('CommonPrefixes', xmlTextElement('Prefix', name(entry.name)));
    let facts = '';
    for (const [fact, value] of entry.facts) facts += xmlTextElement(fact, value);
    return xmlElement('Contents', xmlTextElement('Key', name(entry.name)) + facts + (input.withOwner ? owner : ''));
  });
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
      ...listed,
    ].join(''),
  );
}

function readFacts(element: XmlElement): (readonly [string, string])[] {
  const facts: [string, string][] = [];
  for (const name of shownFacts) {
    const value = xmlText(element, name);
    if (value !== undefined) facts.push([name, value]);
  }
  return facts;
}

// Some stores write a space as a plus, as forms do; a plus itself always comes as %2B.
function decodeListed(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return text;
  }
}
