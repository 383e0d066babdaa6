import { ServiceError } from '../../domain/errors.ts';
import { openSealedText, sealText } from '../../domain/secrets/sealed-text.ts';
import type { SecretVersions } from '../../domain/secrets/secret-versions.ts';

/**
 * The position at which the next page of a list begins: a continuation token of the storage for one repository, or the
 * last name of the earlier page.
 */
export type Continuation =
  | { kind: 'storage'; repository_id: string; token: string }
  | { kind: 'after'; after: string | undefined };

/** Creates and parses the continuation tokens for the lists of one account. */
export interface Continuations {
  format(
    continuation: { kind: 'storage'; repository_id: string; token: string } | { kind: 'after'; after: string },
  ): string;
  /**
   * Returns the position in a token. Throws ServiceError `invalid_argument` for a token that `format` did not create
   * for this account.
   */
  parse(token: string): Continuation;
}

/**
 * Creates continuation tokens that contain the storage's own token in encrypted form. Many storages write the complete
 * key with its storage prefix into their token, and clients must not see the prefix.
 */
export function createContinuations(accountId: string, versions: SecretVersions, now: number): Continuations {
  const scope = JSON.stringify(['list', accountId]);
  return {
    format: (continuation) =>
      continuation.kind === 'storage'
        ? `s-${sealText(`${continuation.repository_id}/${continuation.token}`, scope, versions, now)}`
        : formatAfter(continuation.after),
    parse(token) {
      const after = parseAfter(token);
      if (after !== undefined) return { kind: 'after', after };
      const opened = token.startsWith('s-') ? openSealedText(token.slice(2), scope, versions) : undefined;
      if (opened === undefined) throw foreignToken();
      const slash = opened.indexOf('/');
      return { kind: 'storage', repository_id: opened.slice(0, slash), token: opened.slice(slash + 1) };
    },
  };
}

/**
 * Returns the continuation token for a name. The token is not encrypted, because the client has already seen the name.
 * It works like `start-after`.
 */
export function formatAfter(name: string): string {
  return `k-${Buffer.from(name, 'utf8').toString('base64url')}`;
}

export function parseAfter(token: string): string | undefined {
  return /^k-[A-Za-z0-9_-]+$/.test(token) ? Buffer.from(token.slice(2), 'base64url').toString('utf8') : undefined;
}

export function foreignToken(): ServiceError {
  return new ServiceError('invalid_argument', 'This list did not return the continuation token; start the list again.');
}
