import { ServiceError } from '../domain/errors.ts';
import { openSealedText, sealText } from '../domain/secrets/sealed-text.ts';
import type { SecretVersions } from '../domain/secrets/secret-versions.ts';

/** What a cursor is good for: one caller, one operation, one list. */
export interface CursorScope {
  operation: string;
  path: Readonly<Record<string, string>>;
  /** The caller's account ID, or empty for anyone. */
  caller: string;
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

function boundTo({ operation, path, caller }: CursorScope): string {
  return JSON.stringify(['cursor', operation, path, caller]);
}
