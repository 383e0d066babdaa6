import { type CursorScope, openCursor, sealCursor } from '../http/cursor.ts';
import type { Operation } from '../operations/operation.ts';
import type { Services } from './services.ts';

/** Which list a page shows: its filters and order are part of it. */
export interface PageList {
  operation: Pick<Operation, 'name'>;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
}

/** Where a page of a list goes on. Nobody is asked who they are, so a page's cursor is good for anyone. */
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
