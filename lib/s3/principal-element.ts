import { xmlElement, xmlTextElement } from './xml.ts';

/** S3's `Owner` or `Initiator`. Accounts are called here as they are identified. */
export function principalElement(elementName: 'Owner' | 'Initiator', accountId: string): string {
  return xmlElement(elementName, xmlTextElement('ID', accountId) + xmlTextElement('DisplayName', accountId));
}
