import { invalidInput } from '../domain/errors.ts';
import { openSealedText, sealText } from '../domain/secrets/sealed-text.ts';
import type { SecretSource, SecretVersions } from '../domain/secrets/secret-versions.ts';
import type { Clock } from '../domain/time.ts';
import type { Operation } from '../operations/operation.ts';

/** The caller, the operation, and the list for which a cursor is valid. */
export interface CursorScope {
  operation: string;
  path: Readonly<Record<string, string>>;
  /** The caller's account ID. Empty if every caller may use the cursor. */
  caller: string;
  /** The filters and the order of the list. */
  query?: Readonly<Record<string, unknown>>;
}

/**
 * Encrypts a list position as a cursor. The position can contain names that the caller may not see. The encryption
 * prevents the use of the cursor in another list as well.
 */
export function sealCursor(position: string, scope: CursorScope, versions: SecretVersions, now: number): string {
  return sealText(position, boundTo(scope), versions, now);
}

/** Decrypts a cursor. @throws ServiceError `invalid_request` for a forged cursor, or one of another caller or list */
export function openCursor(cursor: string, scope: CursorScope, versions: SecretVersions): string {
  const position = openSealedText(cursor, boundTo(scope), versions);
  if (position !== undefined) return position;
  throw invalidInput([{ path: 'cursor', message: 'is not a cursor of this list; leave it out to start again' }]);
}

function boundTo({ operation, path, caller, query = {} }: CursorScope): string {
  const { limit, cursor, ...filters } = query;
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return JSON.stringify(['cursor', operation, path, caller, ...given.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Returns the `Link` header for the next page. Its URL has the filters of the request, and the cursor. */
export function nextLink(url: string, query: Readonly<Record<string, unknown>>, cursor: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor }))
    if (value !== undefined) parameters.set(name, String(value));
  return `<${url}?${parameters}>; rel="next"`;
}

/** The list that an HTML page shows, with its filters and order. */
export interface PageList {
  operation: Pick<Operation, 'name'>;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
}

/**
 * Decrypts the cursor of an HTML page's list, and returns the position. HTML pages have no authentication, so every
 * client may use the cursor.
 */
export async function openPageCursor(
  list: PageList,
  cursor: string | undefined,
  { apiKeyMasters }: { apiKeyMasters: SecretSource },
): Promise<string | undefined> {
  return cursor === undefined ? undefined : openCursor(cursor, scopeOf(list), await apiKeyMasters());
}

export async function sealPageCursor(
  list: PageList,
  position: string | undefined,
  { apiKeyMasters, clock }: { apiKeyMasters: SecretSource; clock: Clock },
): Promise<string | undefined> {
  return position === undefined ? undefined : sealCursor(position, scopeOf(list), await apiKeyMasters(), clock());
}

function scopeOf({ operation, path = {}, query = {} }: PageList): CursorScope {
  return { operation: operation.name, path, caller: '', query };
}
