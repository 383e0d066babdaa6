import { escapeXml, namedReferences, renderNodes, type XmlNode } from '../../domain/xml.ts';

/**
 * XML elements by name, in order. An array writes its element several times, and an undefined element is left out. The
 * content of an element with the name '' is written without an element.
 */
export interface XmlFields {
  readonly [name: string]: XmlContent | readonly XmlContent[];
}
type XmlContent = string | number | boolean | undefined | XmlFields;

/** The owner of all buckets and objects in this emulator. */
export const owner = { ID: '0'.repeat(64), DisplayName: 'development' };

export interface XmlResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export function xmlResponse(root: string, content: XmlFields, headers: Record<string, string> = {}): XmlResponse {
  const body = renderXml(root, content, ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"');
  return { status: 200, headers: { 'content-type': 'application/xml', ...headers }, body };
}

export function renderXml(root: string, content: XmlFields, attributes = ''): string {
  const escapeText = (text: string) => escapeXml(text, namedReferences);
  const inner = renderNodes(toNodes(content), escapeText);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attributes}>${inner}</${root}>`;
}

function toNodes(fields: XmlFields): XmlNode[] {
  return Object.entries(fields).flatMap(([name, content]) =>
    [content].flat().flatMap((one): XmlNode[] => {
      if (name === '' && typeof one === 'object') return toNodes(one);
      return one === undefined ? [] : [[name, typeof one === 'object' ? toNodes(one) : String(one)]];
    }),
  );
}
