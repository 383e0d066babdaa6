import { XMLParser } from 'fast-xml-parser';
import {
  droppedElements,
  droppedHeaders,
  elementDifferences,
  opaqueElements,
  proxyCacheControl,
  proxyHeaders,
} from './differences.ts';
import type { Captured, Side } from './sides.ts';

/**
 * An answer with replaced names and without the documented differences. The proxy and the storage must give the same.
 */
export interface Comparable {
  status: number;
  headers: Record<string, string>;
  /** The body of an answer: an object as hexadecimal bytes, a document as a tree, or the code of an error. */
  body: unknown;
}

export function toComparable(answer: Captured, side: Side): Comparable {
  const text = answer.body.toString('utf8');
  if (answer.status >= 300 && answer.status !== 304) return comparableError(answer, text);
  const isDocument = /^(?:<\?xml[^>]*\?>)?\s*<(?:[A-Z]\w+Result|GetObjectAttributes\w+|Tagging)[ >]/.test(text);
  return {
    status: answer.status,
    headers: comparableHeaders(answer, side, isDocument),
    body: isDocument ? comparableDocument(text, side) : answer.body.toString('hex'),
  };
}

function comparableError(answer: Captured, text: string): Comparable {
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
  return { status: answer.status, headers: {}, body: answer.method === 'HEAD' ? undefined : code };
}

function comparableHeaders({ headers }: Captured, side: Side, isDocument: boolean): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name, value]) =>
      !droppedHeaders.has(name) &&
      !(side.kind === 'proxied' && (proxyHeaders.has(name) || value === proxyCacheControl)) &&
      // The proxy rewrites a document, which changes its length.
      !(isDocument && name === 'content-length'),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'last-modified' ? 'a time' : value] as const).sort(),
  );
}

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  parseTagValue: false,
  trimValues: false,
  isArray: () => true,
  processEntities: true,
  htmlEntities: true,
});

function comparableDocument(text: string, side: Side): unknown {
  const isEncoded = text.includes('<EncodingType>url</EncodingType>');
  return mapElement(parser.parse(text), side, isEncoded);
}

const nameElements: ReadonlySet<string> = new Set([
  'Delimiter',
  'Key',
  'KeyMarker',
  'Marker',
  'NextKeyMarker',
  'NextMarker',
  'Prefix',
  'StartAfter',
]);

function mapElement(element: unknown, side: Side, isEncoded: boolean): unknown {
  if (Array.isArray(element)) return element.map((child) => mapElement(child, side, isEncoded));
  if (typeof element !== 'object' || element === null) return element;
  // Tags are a set, so their order may differ.
  if ('Tag' in element && Array.isArray(element.Tag)) {
    element.Tag.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  }
  const ofPlace = elementDifferences[side.place];
  const children = Object.entries(element).filter(([name]) => !droppedElements.has(name) && !ofPlace?.has(name));
  return Object.fromEntries(
    children
      .map(([name, value]: [string, unknown]) => [name, mapChild(name, value, side, isEncoded)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function mapChild(name: string, value: unknown, side: Side, isEncoded: boolean): unknown {
  if (opaqueElements.has(name)) return 'opaque';
  const [text] = Array.isArray(value) ? value : [];
  if (typeof text !== 'string') return mapElement(value, side, isEncoded);
  if (name === 'Bucket' || name === 'Name') return text === side.bucket ? 'the bucket' : text;
  if (nameElements.has(name)) {
    const decoded = isEncoded ? decodeURIComponent(text.replaceAll('+', '%20')) : text;
    return decoded.startsWith(side.prefix) ? `…/${decoded.slice(side.prefix.length)}` : decoded;
  }
  return value;
}
