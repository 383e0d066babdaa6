import { limits } from '../../domain/limits.ts';

/**
 * Derives an ID from a title, by the identifier rule. Returns an empty string if the title has no usable characters.
 */
export function proposedId(title: string): string {
  const id = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, limits.identifierLengthMax)
    .replace(/-$/, '');
  return id.length < limits.identifierLengthMin ? '' : id;
}
