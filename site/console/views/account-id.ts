import { targetInUrl } from '../../../lib/pages/site/typed-fields.ts';
import { faultAt, Problem, problemOf } from '../api/problem.ts';
import { configuration } from '../configuration.ts';

/** Messages for an email address in a field for an account ID. */
const sentences = {
  invite:
    'This is an e-mail address. Your colleague signs in here first, makes an account and tells you its ID: invite that.',
  offer:
    'This is an e-mail address. Whoever is to have it signs in here first, makes an account and tells you its ID: offer it to that.',
  block: 'This is an e-mail address. Block an account by its ID, which stands beside its name wherever you meet it.',
  open: 'This is an e-mail address. Ask for the ID of the account, which is part of the URL of all that it publishes.',
} as const;

const foreignUrl = 'This URL names no account of this site. Give the ID of the account, or the URL of its page here.';

/**
 * Returns the ID of an account from a typed ID or a pasted URL of its page.
 * Throws `Problem` for the field `path` with advice for the user.
 */
export function accountIdOf(typed: string, path: string, purpose: keyof typeof sentences): string {
  const text = typed.trim();
  if (text.includes('/')) {
    const id = targetInUrl(text, urlsHere())?.account_id;
    if (id !== undefined) return id;
    throw faultAt(path, foreignUrl);
  }
  if (text.includes('@')) throw faultAt(path, sentences[purpose]);
  return text;
}

/** Returns the ID of a repository of this account, in the same way. */
export function repositoryIdOf(typed: string, path: string, account_id: string): string {
  const text = typed.trim();
  if (!text.includes('/')) return text;
  const place = targetInUrl(text, urlsHere());
  if (place?.account_id === account_id && place.repository_id !== undefined) return place.repository_id;
  throw faultAt(path, `This URL names no repository of ${account_id}. Give the ID of the repository alone.`);
}

const urlsHere = () => [location.origin, configuration.data_url];

const unknown = {
  invite:
    'There is no account of a person with this ID, or it is yours. Ask them for the ID that stands on their Start page.',
  offer:
    'There is no account with this ID, or it owns the repository already. Ask them for the ID that stands on their Start page.',
} as const;

/** Adds advice to the API's refusal of an unknown account at `path`: where the user finds the ID. */
export function refusedAccount(error: unknown, path: string, purpose: keyof typeof unknown): Problem {
  const problem = problemOf(error);
  if (problem.code !== 'field_invalid' || problem.fields[path] === undefined) return problem;
  const fields = { ...problem.fields, [path]: unknown[purpose] };
  return new Problem(problem.status, problem.code, unknown[purpose], { fields });
}
