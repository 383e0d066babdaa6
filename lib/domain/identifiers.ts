import * as z from 'zod';
import { identifierPattern } from './identifier-pattern.ts';
import { limits } from './limits.ts';

const rule =
  'must be 3 to 40 lower-case letters, digits and single hyphens, starting and ending with a letter or a digit';

export const identifierSchema = z
  .string()
  .min(limits.identifierLengthMin, { error: rule, abort: true })
  .max(limits.identifierLengthMax, { error: rule, abort: true })
  .regex(identifierPattern, { error: rule, abort: true });

/**
 * Matches an identifier with its length limits. The lookahead counts the characters up to `--`, a slash, or the end.
 */
const boundedPattern = `(?=(?:(?!--)[a-z0-9-]){${limits.identifierLengthMin},${limits.identifierLengthMax}}(?:--|/|$))${identifierPattern.source.slice(1, -1)}`;
const serviceAccountIdPattern = new RegExp(`^${boundedPattern}--${boundedPattern}$`);

/**
 * The ID of a service account: `<owner_account_id>--<name>`. The first `--` separates the two parts, because neither
 * part can contain `--`.
 */
export const serviceAccountIdSchema = z
  .string()
  .max(limits.serviceAccountIdLengthMax, { abort: true })
  .regex(serviceAccountIdPattern, { error: 'must be <owner account ID>--<name>', abort: true });

/**
 * Both schemas of the union must abort at the first fault. Without this, zod reports the faults of only one schema, and
 * the message misleads.
 */
export const anyAccountIdSchema = z.union([identifierSchema, serviceAccountIdSchema], { error: rule });

const accountIdPattern = `${boundedPattern}(?:--${boundedPattern})?`;

/** The path of a repository: `<account>/<repository>`, such as `tide-institute/tide-gauges`. */
export const repositoryPathSchema = z
  .string()
  .regex(
    new RegExp(`^${boundedPattern}/${boundedPattern}$`),
    'must be an account and a repository of it, such as tide-institute/tide-gauges',
  );

/**
 * An account, or `<account>/<repository>`. The pattern accepts a service account as the account, although service
 * accounts own no repositories.
 */
export const scopeSchema = z
  .string()
  .regex(
    new RegExp(`^${accountIdPattern}(?:/${boundedPattern})?$`),
    'must be an account, or a repository as <account ID>/<repository ID>',
  );

export const uuidSchema = z.uuid('must be a UUID');

export function formatServiceAccountId(ownerAccountId: string, name: string): string {
  return `${ownerAccountId}--${name}`;
}

export function parseServiceAccountId(id: string): { owner_account_id: string; name: string } | undefined {
  const divider = id.indexOf('--');
  if (divider < 0) return undefined;
  const owner_account_id = id.slice(0, divider);
  const name = id.slice(divider + 2);
  return isIdentifier(owner_account_id) && isIdentifier(name) ? { owner_account_id, name } : undefined;
}

export function isIdentifier(text: string): boolean {
  const { length } = text;
  return length >= limits.identifierLengthMin && length <= limits.identifierLengthMax && identifierPattern.test(text);
}
