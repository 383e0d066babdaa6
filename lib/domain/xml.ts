import { ServiceError } from './errors.ts';
import { limits } from './limits.ts';

export interface XmlElement {
  /** The name without its namespace prefix. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** All text directly inside the element, with spaces. Entities are not decoded. */
  readonly text: string;
  readonly document: string;
  /** The element's start in the document, if it has only text and no attributes. Otherwise 0. */
  readonly start: number;
  readonly end: number;
}

interface OpenElement extends XmlElement {
  children: XmlElement[];
  text: string;
  /** The name that the closing tag must have. */
  tag: string;
}

// Sixteen attributes: a match of a million of them would take 70 MB.
const openingTag = /<((?:[\w.-]+:)?([A-Za-z_][\w.-]*))(?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*')){0,16}\s*(\/?)>/y;
// Most elements of a list match this pattern. One match for each of them halves the parse time.
const elementOfText = /<([A-Za-z_][\w.-]*)>([^<]*)<\/\1>/y;
const noChildren: readonly XmlElement[] = [];
const closingTag = /<\/([\w.:-]+)\s*>/y;

/** The references that STS writes. */
export const namedReferences = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' } as const;
/** The references that the data proxy writes. */
const numericReferences = { '&': '&#x26;', '<': '&#x3c;', '>': '&#x3e;', '"': '&#x22;', "'": '&#x27;' } as const;

/**
 * Returns the root element, which must have the given name, if any. General parsers take five times as long for a page of a thousand keys. Some also drop
 * references to control characters, which turns one key into another.
 *
 * Throws ServiceError `malformed_xml`, also for document types and CDATA, which S3 does not use.
 */
export function parseXml(text: string, rootName?: string): XmlElement {
  const around = openElement('', '', text);
  const open = [around];
  let inside = around;
  let position = 0;
  let elements = 0;
  for (let start = text.indexOf('<'); start >= 0; start = text.indexOf('<', position)) {
    if (start > position) inside.text += text.slice(position, start);
    if (inside.text.length > limits.xmlTextCharactersMax) throw malformedXml();
    const second = text[start + 1];
    if (second === '/') {
      closingTag.lastIndex = start;
      if (closingTag.exec(text)?.[1] !== inside.tag) throw malformedXml();
      position = closingTag.lastIndex;
      open.pop();
      inside = open.at(-1) ?? around;
      continue;
    }
    elements += 1;
    // A document of a few MB can hold a million elements, and each takes a hundred bytes.
    if (elements > limits.xmlElementsMax) throw malformedXml();
    if (second === '?' || second === '!') {
      position = skipAside(text, start);
      continue;
    }
    elementOfText.lastIndex = start;
    const [whole, ofText = '', content = ''] = elementOfText.exec(text) ?? [];
    if (whole !== undefined) {
      if (content.length > limits.xmlTextCharactersMax) throw malformedXml();
      const end = elementOfText.lastIndex;
      inside.children.push({ name: ofText, children: noChildren, text: content, document: text, start, end });
      position = end;
      continue;
    }
    openingTag.lastIndex = start;
    const [, tag = '', name = '', isEmpty] = openingTag.exec(text) ?? [];
    if (tag === '') throw malformedXml();
    position = openingTag.lastIndex;
    const element = openElement(name, tag, text);
    inside.children.push(element);
    if (isEmpty === '') {
      open.push(element);
      inside = element;
    }
  }
  const [root, another] = around.children;
  const isAlone = root !== undefined && another === undefined && `${around.text}${text.slice(position)}`.trim() === '';
  if (!isAlone || open.length !== 1 || (rootName ?? root.name) !== root.name) throw malformedXml();
  return root;
}

function openElement(name: string, tag: string, document: string): OpenElement {
  return { name, children: [], text: '', document, start: 0, end: 0, tag };
}

/** Returns the end of a processing instruction or a comment. */
function skipAside(text: string, start: number): number {
  const closing = text.startsWith('<?', start) ? '?>' : text.startsWith('<!--', start) ? '-->' : undefined;
  const end = closing === undefined ? -1 : text.indexOf(closing, start + 2);
  if (closing === undefined || end < 0) throw malformedXml();
  return end + closing.length;
}

/** Returns the text of the first child with that name, if it contains only text. */
export function xmlText(element: XmlElement, name: string): string | undefined {
  const child = element.children.find((candidate) => candidate.name === name);
  return child === undefined || child.children.length > 0 ? undefined : decodeEntities(child.text);
}

export function xmlChildren(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

// Text as `escapeXml` writes it, or with the five predefined entities.
const escapedText = /^[^&<>"'\u0000-\u001f\u007f]*(?:&(?:amp|lt|gt|quot|apos);[^&<>"'\u0000-\u001f\u007f]*)*$/;

/** Copies the children with these names that contain only text, in order. Escapes a text again if it is not valid. */
export function copyTexts(element: XmlElement, names: ReadonlySet<string>): string {
  const { document } = element;
  let copies = '';
  // Copies adjacent elements in one piece, which takes a third of the time.
  let start = 0;
  let end = 0;
  for (const child of element.children) {
    if (!names.has(child.name) || child.children.length > 0) continue;
    const isGood = child.end > 0 && escapedText.test(child.text);
    if (!isGood || child.start !== end) {
      copies += document.slice(start, end);
      start = child.start;
    }
    end = child.end;
    if (isGood) continue;
    start = end;
    copies += xmlElement(child.name, escapeXml(decodeEntities(child.text)));
  }
  return copies + document.slice(start, end);
}

/** Returns the code of a storage error document. Empty if it has no code; undefined if it is not an error document. */
export function readErrorCode(document: string): string | undefined {
  try {
    return xmlText(parseXml(document.trim(), 'Error'), 'Code') ?? '';
  } catch {
    return undefined;
  }
}

/** Renders `<name>content</name>` from XML content. Returns an empty string for undefined. */
export function xmlElement(name: string, content: string | undefined): string {
  return content === undefined ? '' : `<${name}>${content}</${name}>`;
}

/** Escapes text. Writes control characters as references, as S3 does, although XML 1.0 does not allow them. */
export function escapeXml(
  text: string,
  references: Readonly<Record<keyof typeof namedReferences, string>> = numericReferences,
): string {
  if (!/[&<>"'\u0000-\u001f\u007f]/.test(text)) return text;
  // Fixed replacements take a tenth of the time of a function, and keys may consist of these characters.
  const escaped = text
    .replaceAll('&', references['&'])
    .replaceAll('<', references['<'])
    .replaceAll('>', references['>'])
    .replaceAll('"', references['"'])
    .replaceAll("'", references["'"]);
  return escaped.replace(/[\u0000-\u001f\u007f]/g, (character) => controlReferences[character.charCodeAt(0)] ?? '');
}

const controlReferences = Array.from({ length: 128 }, (_, code) => `&#x${code.toString(16)};`);

export function xmlTextElement(name: string, text: string | undefined): string {
  return text === undefined ? '' : xmlElement(name, escapeXml(text));
}

/** An element with a text or child elements. An undefined element is left out. */
export type XmlNode = readonly [name: string, content: string | readonly XmlNode[]] | undefined;

export function renderNodes(nodes: readonly XmlNode[], escapeText: (text: string) => string = escapeXml): string {
  const contentOf = (content: string | readonly XmlNode[]) =>
    typeof content === 'string' ? escapeText(content) : renderNodes(content, escapeText);
  return nodes.map((node) => (node === undefined ? '' : xmlElement(node[0], contentOf(node[1])))).join('');
}

export function xmlDocument(rootName: string, content: string): string {
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${rootName} xmlns="${namespace}">${content}</${rootName}>`;
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const decoded = text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'");
  // After the others: `&amp;lt;` is the text `&lt;`.
  return /&(?!amp;)/.test(decoded) ? decodeReferences(decoded) : decoded.replaceAll('&amp;', '&');
}

/** References to ASCII: keys may consist of them, and parsing each would take most of the time of a list. */
const asciiReferences = new Map([
  ...controlReferences.map((reference, code) => [reference, String.fromCharCode(code)] as const),
  ...Object.entries(namedReferences).map(([character, reference]) => [reference, character] as const),
]);

function decodeReferences(text: string): string {
  return text.replace(
    /&(?:#\w{1,7};|\w+;)?/g,
    (reference) => asciiReferences.get(reference) ?? decodeReference(reference),
  );
}

function decodeReference(reference: string): string {
  const [, hex, decimal] = /^&#(?:x([0-9a-f]{1,6})|(\d{1,7}));$/i.exec(reference) ?? [];
  const codePoint = Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16);
  const isCharacter = codePoint < 0xd800 || (codePoint > 0xdfff && codePoint <= 0x10ffff);
  if (!isCharacter) throw malformedXml();
  return String.fromCodePoint(codePoint);
}

function malformedXml(): ServiceError {
  return new ServiceError(
    'malformed_xml',
    'The XML of the request body is not well formed or does not fit the operation.',
  );
}
