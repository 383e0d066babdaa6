import { parseXml, type XmlElement, xmlElement, xmlText, xmlTextElement } from '../../lib/domain/xml.ts';
import { DataError } from './data-error.ts';

/** Returns the root element. Returns undefined for other content, because an intermediary may have answered. */
export function readAnswerXml(answer: string): XmlElement | undefined {
  try {
    return parseXml(answer);
  } catch {
    return undefined;
  }
}

/** Returns the root element of a response. Throws a DataError for other content, such as an intermediary's page. */
export function readXml(answer: { text: string }, rootName: string): XmlElement {
  const root = readAnswerXml(answer.text);
  if (root?.name === rootName) return root;
  const code = root?.name === 'Error' ? (xmlText(root, 'Code') ?? '') : '';
  throw new DataError('failed', 'The service returned an unexpected answer. Try again.', { code });
}

/** Returns an element with a text or with child elements. */
export function element(name: string, content: string | number | readonly string[]): string {
  return typeof content === 'object' ? xmlElement(name, content.join('')) : xmlTextElement(name, String(content));
}
