import { xmlElement, xmlTextElement } from '../domain/xml.ts';

/** Renders S3's `Owner` or `Initiator`. The display name of an account is its ID. */
export function principalElement(elementName: 'Owner' | 'Initiator', accountId: string): string {
  return xmlElement(elementName, xmlTextElement('ID', accountId) + xmlTextElement('DisplayName', accountId));
}
