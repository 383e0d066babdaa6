import { parseXml, type XmlElement, xmlElement, xmlTextElement } from '../../lib/domain/xml.ts';

/** Returns the root element. Returns undefined for other content, because an intermediary may have answered. */
export function readAnswerXml(answer: string): XmlElement | undefined {
  try {
    return parseXml(answer);
  } catch {
    return undefined;
  }
}

/** Returns an element with a text or with child elements. */
export function element(name: string, content: string | number | readonly string[]): string {
  return typeof content === 'object' ? xmlElement(name, content.join('')) : xmlTextElement(name, String(content));
}
