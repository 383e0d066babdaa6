import { openCursor, sealCursor } from '../http/cursor.ts';
import type { Operation } from '../operations/operation.ts';
import type { Services } from './services.ts';

type Path = Readonly<Record<string, string>>;

/** Where a page of a list goes on. Nobody is asked who they are, so a page's cursor is good for anyone. */
export async function openPageCursor(
  { name }: Pick<Operation, 'name'>,
  path: Path,
  cursor: string | undefined,
  { apiKeyMasters }: Pick<Services, 'apiKeyMasters'>,
): Promise<string | undefined> {
  return cursor === undefined
    ? undefined
    : openCursor(cursor, { operation: name, path, caller: '' }, await apiKeyMasters());
}

export async function sealPageCursor(
  { name }: Pick<Operation, 'name'>,
  path: Path,
  position: string | undefined,
  { apiKeyMasters, clock }: Pick<Services, 'apiKeyMasters' | 'clock'>,
): Promise<string | undefined> {
  if (position === undefined) return undefined;
  return sealCursor(position, { operation: name, path, caller: '' }, await apiKeyMasters(), clock());
}
