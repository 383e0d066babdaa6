import { type CursorScope, openCursor, sealCursor } from '../http/cursor.ts';
import type { Operation } from '../operations/operation.ts';
import type { Services } from './services.ts';

/** The list that a page shows, including its filters and order. */
export interface PageList {
  operation: Pick<Operation, 'name'>;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the position at which a page of a list continues. Pages have no authentication, so every client may use the
 * cursor.
 */
export async function openPageCursor(
  list: PageList,
  cursor: string | undefined,
  { apiKeyMasters }: Pick<Services, 'apiKeyMasters'>,
): Promise<string | undefined> {
  return cursor === undefined ? undefined : openCursor(cursor, scopeOf(list), await apiKeyMasters());
}

export async function sealPageCursor(
  list: PageList,
  position: string | undefined,
  { apiKeyMasters, clock }: Pick<Services, 'apiKeyMasters' | 'clock'>,
): Promise<string | undefined> {
  return position === undefined ? undefined : sealCursor(position, scopeOf(list), await apiKeyMasters(), clock());
}

function scopeOf({ operation, path = {}, query = {} }: PageList): CursorScope {
  return { operation: operation.name, path, caller: '', query };
}
