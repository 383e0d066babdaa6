import { Problem, problemOf } from '../api/problem.ts';

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

const unknown = {
  invite:
    'There is no account of a person with this ID, or it is yours. Ask them for the ID that stands on their Start page.',
  offer:
    'There is no account with this ID, or it owns the repository already. Ask them for the ID that stands on their Start page.',
} as const;

/** What the API refused, with a sentence that tells where the ID is found where it takes no such account at this path. */
export function refusedAccount(error: unknown, path: string, purpose: keyof typeof unknown): Problem {
  const problem = problemOf(error);
  if (problem.code !== 'field_invalid' || problem.fields[path] === undefined) return problem;
  const fields = { ...problem.fields, [path]: unknown[purpose] };
  return new Problem(problem.status, problem.code, unknown[purpose], { fields });
}
