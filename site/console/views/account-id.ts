import { Problem } from '../api/problem.ts';

/** What an account is named for, where people would write an e-mail address. */
const sentences = {
  invite:
    'This is an e-mail address. Your colleague signs in here first, makes an account and tells you its ID: invite that.',
  offer:
    'This is an e-mail address. Whoever is to have it signs in here first, makes an account and tells you its ID: offer it to that.',
  block: 'This is an e-mail address. Block an account by its ID, which stands beside its name wherever you meet it.',
  open: 'This is an e-mail address. Ask for the ID of the account, which is part of the URL of all that it publishes.',
} as const;

/** Says what to do instead at the field of this path. Throws Problem. */
export function refuseMailAddress(typed: string, path: string, purpose: keyof typeof sentences): void {
  if (!typed.includes('@')) return;
  throw new Problem(400, 'field_invalid', sentences[purpose], { fields: { [path]: sentences[purpose] } });
}
