import { escapeXml, namedReferences, renderNodes, type XmlNode } from '../../domain/xml.ts';

export type XmlChild = XmlNode;

export const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

export function renderXml(root: string, content: string | readonly XmlChild[], namespace?: string): string {
  const attribute = namespace === undefined ? '' : ` xmlns="${namespace}"`;
  const escapeText = (text: string) => escapeXml(text, namedReferences);
  const inner = typeof content === 'string' ? escapeText(content) : renderNodes(content, escapeText);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner}</${root}>`;
}
