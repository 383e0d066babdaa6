import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import { activeVersion, type SecretVersion, type SecretVersions } from '../domain/secret-versions.ts';

/** What a cursor is good for: one caller, one operation, one list. */
export interface CursorScope {
  operation: string;
  path: Readonly<Record<string, string>>;
  /** The caller's account ID, or empty for anyone. */
  caller: string;
}

/** `<version>.<position>.<tag>`: positions are no secret, but nobody else's list can be entered with one. */
export function sealCursor(position: string, scope: CursorScope, versions: SecretVersions, now: number): string {
  const secret = activeVersion(versions, now, 0);
  const text = Buffer.from(position, 'utf8').toString('base64url');
  return `${secret.version}.${text}.${tag(secret, text, scope)}`;
}

export function openCursor(cursor: string, scope: CursorScope, versions: SecretVersions): string {
  const [number = '', text = '', given = '', ...rest] = cursor.split('.');
  const secret = versions.find(({ version }) => String(version) === number);
  const expected = secret === undefined ? '' : tag(secret, text, scope);
  if (rest.length > 0 || expected === '' || !isSame(given, expected)) {
    const message = 'is not a cursor of this list; start again without it';
    throw new ServiceError('invalid_request', `The request is not valid: cursor: ${message}`, {
      faults: [{ path: 'cursor', message }],
    });
  }
  return Buffer.from(text, 'base64url').toString('utf8');
}

function tag(secret: SecretVersion, text: string, scope: CursorScope): string {
  const bound = JSON.stringify(['sluice cursor', text, scope.operation, scope.path, scope.caller]);
  return createHmac('sha256', secret.key).update(bound).digest('base64url').slice(0, 22);
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given, 'utf8'), Buffer.from(expected, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}
