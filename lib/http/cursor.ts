import { ServiceError } from '../domain/errors.ts';
import { openSealedText, sealText } from '../domain/secrets/sealed-text.ts';
import type { SecretVersions } from '../domain/secrets/secret-versions.ts';

/** What a cursor is good for: one caller, one operation, one list. */
export interface CursorScope {
  operation: string;
  path: Readonly<Record<string, string>>;
  /** The caller's account ID, or empty for anyone. */
  caller: string;
  /** What the list is of: its filters and its order. */
  query?: Readonly<Record<string, unknown>>;
}

/** A position in a list, sealed: it may name what its bearer is not shown, and nobody else's list can be entered with it. */
export function sealCursor(position: string, scope: CursorScope, versions: SecretVersions, now: number): string {
  return sealText(position, boundTo(scope), versions, now);
}

/** @throws ServiceError `invalid_request` for a cursor of another scope, or none of ours */
export function openCursor(cursor: string, scope: CursorScope, versions: SecretVersions): string {
  const position = openSealedText(cursor, boundTo(scope), versions);
  if (position !== undefined) return position;
  const message = 'is not a cursor of this list; leave it out to start again';
  throw new ServiceError('field_invalid', `The request is not valid: cursor: ${message}`, {
    faults: [{ path: 'cursor', message }],
  });
}

function boundTo({ operation, path, caller, query = {} }: CursorScope): string {
  const { limit, cursor, ...filters } = query;
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return JSON.stringify(['cursor', operation, path, caller, ...given.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** The same list with the same filters, from the cursor on. */
export function nextLink(url: string, query: Readonly<Record<string, unknown>>, cursor: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor }))
    if (value !== undefined) parameters.set(name, String(value));
  return `<${url}?${parameters}>; rel="next"`;
}
