import { ServiceError } from '../../domain/errors.ts';
import { openSealedText, sealText } from '../../domain/secrets/sealed-text.ts';
import type { SecretVersions } from '../../domain/secrets/secret-versions.ts';

/** Where a list goes on: with storage's own token in a repository, or after a name that the client was shown. */
export type Continuation =
  | { kind: 'storage'; repository_id: string; token: string }
  | { kind: 'after'; after: string | undefined };

/** Continuation tokens of one account's lists. */
export interface Continuations {
  format(
    continuation: { kind: 'storage'; repository_id: string; token: string } | { kind: 'after'; after: string },
  ): string;
  /** Throws ServiceError `invalid_argument` for what `format` never made for this account. */
  parse(token: string): Continuation;
}

/** Many stores put the key into their token, prefix and all, so that it is sealed on its way through the client. */
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

/** Not sealed: a name that its bearer was shown, and worth no more than a `start-after`. */
export function formatAfter(name: string): string {
  return `k-${Buffer.from(name, 'utf8').toString('base64url')}`;
}

export function parseAfter(token: string): string | undefined {
  return /^k-[A-Za-z0-9_-]+$/.test(token) ? Buffer.from(token.slice(2), 'base64url').toString('utf8') : undefined;
}

export function foreignToken(): ServiceError {
  return new ServiceError('invalid_argument', 'This list did not return the continuation token; start the list again.');
}
