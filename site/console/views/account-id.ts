import { targetInUrl } from '../../../lib/pages/site/typed-fields.ts';
import { faultAt, type Problem, problemOf } from '../api/problem.ts';
import { configuration } from '../configuration.ts';

/** Error messages for a user who typed an email address where an account ID is needed. */
const sentences = {
  invite: 'This is an email address. Ask the user to create an account here, and invite the ID of that account.',
  transfer: 'This is an email address. Ask the new owner to create an account here, and enter the ID of that account.',
  block: 'This is an email address. Block an account by its ID, which is shown beside its name.',
  open: 'This is an email address. Enter the account ID. It is part of the URL of everything that the account publishes.',
} as const;

const foreignUrl = 'This is not the URL of an account of this site. Enter the account ID, or the URL of its page here.';

/**
 * Returns the account ID from a typed ID or a pasted URL. For any other text, throws a `Problem` for the field `path`.
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

/**
 * Returns the repository ID from a typed ID or a pasted URL of a repository in this account. For any other text, throws
 * a `Problem`.
 */
export function repositoryIdOf(typed: string, path: string, account_id: string): string {
  const text = typed.trim();
  if (!text.includes('/')) return text;
  const target = targetInUrl(text, urlsHere());
  if (target?.account_id === account_id && target.repository_id !== undefined) return target.repository_id;
  throw faultAt(path, `This is not the URL of a repository of ${account_id}. Enter only the repository ID.`);
}

const urlsHere = () => [location.origin, configuration.data_url];

const unknown = {
  invite: 'There is no user account with this ID, or it is your own. Ask the user for the ID on their Start page.',
  transfer: 'There is no account with this ID, or it already owns the repository. Ask for the ID on their Start page.',
} as const;

/**
 * Replaces the API's message about an unknown account at the field `path`. The new message explains where to find the
 * account ID.
 */
export function refusedAccount(error: unknown, path: string, purpose: keyof typeof unknown): Problem {
  const problem = problemOf(error);
  const isUnknown = problem.code === 'not_found' || problem.fields[path] !== undefined;
  return isUnknown ? faultAt(path, unknown[purpose]) : problem;
}
