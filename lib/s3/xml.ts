import { XMLParser } from 'fast-xml-parser';
import { ServiceError } from '../domain/errors.ts';

/** An element's children by name, each name with all its elements in order; text stays text, spaces and zeros kept. */
export interface XmlElement {
  readonly [name: string]: readonly (XmlElement | string)[];
}

// Entities are decoded below and not by the parser, which drops references to control characters: a key that holds one
// would turn into another key.
const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  isArray: () => true,
});

const namedEntities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The root element's children. Throws ServiceError `malformed_xml`, for document types and CDATA as well. */
export function parseXml(text: string, rootName: string): XmlElement {
  if (/<!(?:DOCTYPE|\[CDATA\[|ENTITY)/i.test(text)) throw malformedXml();
  let parsed: Record<string, (XmlElement | string)[] | undefined>;
  try {
    parsed = parser.parse(text, true);
  } catch {
    throw malformedXml();
  }
  const [root, another] = parsed[rootName] ?? [];
  if (root === undefined || another !== undefined) throw malformedXml();
  return typeof root === 'string' ? {} : root;
}

export function xmlText(element: XmlElement, name: string): string | undefined {
  const child = element[name]?.[0];
  return typeof child === 'string' ? decodeEntities(child) : undefined;
}

export function xmlChildren(element: XmlElement, name: string): XmlElement[] {
  return (element[name] ?? []).map((child) => (typeof child === 'string' ? {} : child));
}

/** `<name>content</name>`; content is XML already. Nothing for undefined. */
export function xmlElement(name: string, content: string | undefined): string {
  return content === undefined ? '' : `<${name}>${content}</${name}>`;
}

/** Text for content; control characters as references, as S3 sends them, although XML 1.0 has no place for them. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\u0000-\u001f\u007f]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`);
}

export function xmlTextElement(name: string, text: string | undefined): string {
  return text === undefined ? '' : xmlElement(name, escapeXml(text));
}

export function xmlDocument(rootName: string, content: string): string {
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${rootName} xmlns="${namespace}">${content}</${rootName}>`;
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6});|#(\d{1,7});|(\w+);)?/gi,
    (_, hex?: string, decimal?: string, name = '') => {
      const known = namedEntities.get(name);
      if (known !== undefined) return known;
      const codePoint = Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16);
      const isCharacter = codePoint < 0xd800 || (codePoint > 0xdfff && codePoint <= 0x10ffff);
      if (!isCharacter) throw malformedXml();
      return String.fromCodePoint(codePoint);
    },
  );
}

function malformedXml(): ServiceError {
  return new ServiceError(
    'malformed_xml',
    'The XML of the request body is not well formed or not what the operation takes.',
  );
}
