import { parseXml, type XmlElement, xmlElement, xmlText, xmlTextElement } from '../../lib/domain/xml.ts';
import { DataError } from './data-error.ts';

/**
 * Returns the root element of an XML response. Returns undefined for other content, for example an HTML error page of a
 * proxy.
 */
export function readAnswerXml(answer: string): XmlElement | undefined {
  try {
    return parseXml(answer);
  } catch {
    return undefined;
  }
}

/**
 * Returns the root element of a response. Throws a DataError if the content is not the expected XML, for example an
 * HTML page of a proxy.
 */
export function readXml(answer: { text: string }, rootName: string): XmlElement {
  const root = readAnswerXml(answer.text);
  if (root?.name === rootName) return root;
  const code = root?.name === 'Error' ? (xmlText(root, 'Code') ?? '') : '';
  throw new DataError('failed', 'The service returned an unexpected answer. Try again.', { code });
}

/** Builds an XML element with text or with child elements. */
export function element(name: string, content: string | number | readonly string[]): string {
  return typeof content === 'object' ? xmlElement(name, content.join('')) : xmlTextElement(name, String(content));
}
