import { createCipheriv, hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  issueSessionCredentials,
  openSessionToken,
  type SessionClaims,
} from '../../../lib/domain/session-credentials.ts';

const now = Date.UTC(2026, 10, 21, 10);
const version = { version: 1, key: new Uint8Array(32).fill(7), created_at: 0 };
const accessKeyId = `SCTA${'A'.repeat(16)}`;
const claims: SessionClaims = {
  service_account_id: 'tides--sync',
  service_account_uid: 'uid-1',
  times_disabled: 3,
  role: 'FullAccess',
  signed_in_by: { kind: 'key', id: 'key-1' },
  session_name: 'nightly',
  issued_at: now / 1000,
  expires_at: now / 1000 + 3600,
};

/** As every release seals it: the claims by their places. */
function sealed(packed: readonly unknown[]): string {
  const seal = new Uint8Array(hkdfSync('sha256', version.key, '', 'sluice session seal', 32));
  const nonce = Buffer.alloc(12, 5);
  const cipher = createCipheriv('aes-256-gcm', seal, nonce).setAAD(Buffer.from(accessKeyId));
  const text = Buffer.concat([cipher.update(JSON.stringify(packed)), cipher.final()]);
  return Buffer.concat([Buffer.from([0, 0, 0, 1]), nonce, text, cipher.getAuthTag()]).toString('base64url');
}

const packed = ['tides--sync', 'uid-1', 'FullAccess', 'key', 'key-1', 'nightly', claims.issued_at, claims.expires_at];

test('a token opens to the claims that it was issued with', () => {
  const chance = { uuid: () => '', bytes: (length: number) => new Uint8Array(length).fill(3) };
  const issued = issueSessionCredentials(claims, [version], { now, chance });
  const opened = openSessionToken(issued.access_key_id, issued.session_token, [version], now);
  expect(opened).toEqual({ claims, secret_access_key: issued.secret_access_key });
});

test.each([
  ['of the release before it carried how often the account was disabled', packed, 0],
  ['of a release after this one, with something more', [...packed, 3, 'more'], 3],
])('a token %s opens too, so that nobody is signed out while releases change', (_, content, times_disabled) => {
  expect(openSessionToken(accessKeyId, sealed(content), [version], now)?.claims).toEqual({ ...claims, times_disabled });
});
