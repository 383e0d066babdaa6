import { limits } from '../../domain/limits.ts';

/** An ID for what has this title, by the identifier rule; empty where its letters make none. */
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
