import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { ObjectStoreError } from '../errors.ts';

/** A parsed element: text, or lists of children by name. */
export type XmlElement = string | { readonly [name: string]: readonly XmlElement[] };

// The parser's own entities are off: it would read a document's definitions, and it leaves numeric references
// undecoded.
const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  isArray: () => true,
});

/**
 * Parses a request document. Throws MalformedXML for another root, a document type, a CDATA section, or invalid
 * references.
 */
export function parseXml(text: string, root: string): XmlElement {
  // Refuses everything that starts with `<!` except comments. S3 clients never send it, and it is a source of attacks.
  if (/<!(?!--)/.test(text) || XMLValidator.validate(text) !== true) throw malformedXml();
  let document: XmlElement;
  try {
    document = parser.parse(text);
  } catch {
    throw malformedXml();
  }
  const [element] = childrenOf(document, root);
  if (element === undefined) throw malformedXml();
  return element;
}

export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return typeof element === 'string' || !Object.hasOwn(element, name) ? [] : (element[name] ?? []);
}

/** Returns the text of the only child with that name, or undefined without one. Throws MalformedXML for several. */
export function findText(element: XmlElement, name: string): string | undefined {
  const [child, ...others] = childrenOf(element, name);
  if (child === undefined) return undefined;
  if (others.length > 0 || typeof child !== 'string') throw malformedXml();
  return decodeReferences(child);
}

export function malformedXml(): ObjectStoreError {
  return new ObjectStoreError(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  );
}

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeReferences(text: string): string {
  return text.replace(/&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));|&/g, (_, hex, decimal, name) => {
    if (name !== undefined) return characters[name] ?? '';
    const codePoint = hex === undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
    const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
    if (!(codePoint <= 0x10ffff) || isSurrogate) throw malformedXml();
    return String.fromCodePoint(codePoint);
  });
}
