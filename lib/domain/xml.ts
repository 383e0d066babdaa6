import { ServiceError } from './errors.ts';
import { limits } from './limits.ts';

export interface XmlElement {
  /** The name of an XML element without its namespace prefix. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** All text directly inside the element, including white space. Entities are not decoded. */
  readonly text: string;
  readonly document: string;
  /**
   * The position in `document` at which the element starts, if the element has only text and no attributes. For other
   * elements, 0.
   */
  readonly start: number;
  readonly end: number;
}

interface OpenElement extends XmlElement {
  children: XmlElement[];
  text: string;
  /** The name that the end tag must have. */
  tag: string;
}

// Matches a start tag with at most sixteen attributes, because a match of a million attributes would take 70 MB.
const openingTag = /<((?:[\w.-]+:)?([A-Za-z_][\w.-]*))(?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*')){0,16}\s*(\/?)>/y;
// Matches a whole XML element that contains only text. Most elements of an object list do, and matching them as a whole
// halves the time to parse a list.
const elementOfText = /<([A-Za-z_][\w.-]*)>([^<]*)<\/\1>/y;
const noChildren: readonly XmlElement[] = [];
const closingTag = /<\/([\w.:-]+)\s*>/y;

/** The entities that AWS STS writes for special characters. */
export const namedReferences = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' } as const;
/** The character references that the data proxy writes. */
const numericReferences = { '&': '&#x26;', '<': '&#x3c;', '>': '&#x3e;', '"': '&#x22;', "'": '&#x27;' } as const;

/**
 * Returns the root element of an XML document. Its name must be `rootName`, if given. Rejects documents with more than
 * `elementsMax` elements and comments.
 *
 * General XML parsers take five times as long for a page of a thousand keys. Some of them drop references to control
 * characters, which turns one object key into another.
 *
 * Throws ServiceError `malformed_xml`, also for document types and CDATA, which S3 does not use.
 */
export function parseXml(text: string, rootName?: string, elementsMax: number = limits.xmlElementsMax): XmlElement {
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
    // This check limits memory: a document of a few MB can contain a million elements, and each takes a hundred bytes.
    if (elements > elementsMax) throw malformedXml();
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

/** Returns the position in an XML document after a processing instruction or a comment. */
function skipAside(text: string, start: number): number {
  const closing = text.startsWith('<?', start) ? '?>' : text.startsWith('<!--', start) ? '-->' : undefined;
  const end = closing === undefined ? -1 : text.indexOf(closing, start + 2);
  if (closing === undefined || end < 0) throw malformedXml();
  return end + closing.length;
}

/** Returns the text of an element's first child with that name, if the child contains only text. */
export function xmlText(element: XmlElement, name: string): string | undefined {
  const child = element.children.find((candidate) => candidate.name === name);
  return child === undefined || child.children.length > 0 ? undefined : decodeEntities(child.text);
}

export function xmlChildren(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

// Matches text without special characters except entities: those that `escapeXml` writes, and the five predefined
// entities of XML.
const escapedText = /^[^&<>"'\u0000-\u001f\u007f]*(?:&(?:amp|lt|gt|quot|apos);[^&<>"'\u0000-\u001f\u007f]*)*$/;

/**
 * Returns the XML of the children with these names that contain only text, in order. Escapes text again if it is not
 * correctly escaped.
 */
export function copyTexts(element: XmlElement, names: ReadonlySet<string>): string {
  const { document } = element;
  let copies = '';
  // Copy neighboring elements together in one slice, which takes a third of the time.
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

/**
 * Matches an error code of S3. Hostile storage could send back the Authorization header or the session token as its
 * code, and codes appear in logs and stored records. The maximum of 48 characters excludes a signature, which has 64.
 */
const errorCode = /^[A-Za-z][A-Za-z0-9.]{0,47}$/;

/**
 * Returns the error code in an error document from storage. Returns an empty text if the document has no valid code,
 * and undefined if it is not an error document.
 */
export function readErrorCode(document: string): string | undefined {
  try {
    const code = xmlText(parseXml(document.trim(), 'Error', limits.storageXmlElementsMax), 'Code') ?? '';
    return errorCode.test(code) ? code : '';
  } catch {
    return undefined;
  }
}

/** Renders `<name>content</name>` from XML content. Returns an empty string for undefined. */
export function xmlElement(name: string, content: string | undefined): string {
  return content === undefined ? '' : `<${name}>${content}</${name}>`;
}

/** Escapes text for XML. Writes control characters as references, as S3 does, although XML 1.0 does not allow them. */
export function escapeXml(
  text: string,
  references: Readonly<Record<keyof typeof namedReferences, string>> = numericReferences,
): string {
  if (!/[&<>"'\u0000-\u001f\u007f]/.test(text)) return text;
  // Use fixed replacement texts, because a replacement function takes ten times as long. An object key can consist only
  // of special characters.
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

/** An XML element with text or child elements. Undefined renders nothing. */
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
  // Decodes `&amp;` last, because `&amp;lt;` is the text `&lt;` and not `<`.
  return /&(?!amp;)/.test(decoded) ? decodeReferences(decoded) : decoded.replaceAll('&amp;', '&');
}

/**
 * Decodes all character references. An object key can consist only of references, and a replacement function would then
 * take most of the time of a list. This function therefore decodes references to ASCII characters byte by byte. Every
 * reference is longer than its character, so the result fits into the same buffer.
 */
function decodeReferences(text: string): string {
  const bytes = encoder.encode(text);
  let length = 0;
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = start;
    if (bytes[start] !== ampersand) {
      bytes[length++] = bytes[start] ?? 0;
      continue;
    }
    while (bytes[end] !== semicolon && end < start + referenceBytesMax) end += 1;
    const code = asciiCode(bytes, start, end);
    if (code < 128) {
      bytes[length++] = code;
    } else {
      const reference = String.fromCharCode(...bytes.subarray(start, end + 1));
      length += encoder.encodeInto(decodeReference(reference), bytes.subarray(length)).written;
    }
  }
  return decoder.decode(bytes.subarray(0, length));
}

// Use TextEncoder, because browsers run this file and have no Buffer.
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const ampersand = 0x26;
const semicolon = 0x3b;
const referenceBytesMax = '&#x10ffff;'.length;
const numberSign = 0x23;
const letterX = 0x78;
/** The value of each hexadecimal digit, by its byte. Any other byte has the value 128. */
const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(byte));
  return digit < 0 ? 128 : digit;
});

/**
 * Returns the character code of a reference with one or two hexadecimal digits. For any other reference, returns a
 * number above all ASCII codes.
 */
function asciiCode(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start + 1] !== numberSign || bytes[start + 2] !== letterX) return 128;
  const first = hexDigits[bytes[start + 3] ?? 0] ?? 128;
  if (end === start + 4) return first;
  return end === start + 5 ? first * 16 + (hexDigits[bytes[start + 4] ?? 0] ?? 128) : 128;
}

function decodeReference(reference: string): string {
  if (reference === namedReferences['&']) return '&';
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
