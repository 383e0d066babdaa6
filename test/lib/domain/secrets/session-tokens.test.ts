import { createCipheriv, hkdfSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../../lib/domain/limits.ts';
import {
  issueSessionCredentials,
  openSessionToken,
  type SessionClaims,
} from '../../../../lib/domain/secrets/session-credentials.ts';

const now = Date.UTC(2026, 10, 21, 10);
const version = { version: 1, key: new Uint8Array(32).fill(7), created_at: 0 };
const accessKeyId = `SCTA${'A'.repeat(16)}`;
const claims: SessionClaims = {
  holder: { kind: 'service_account', service_account_id: 'tides--sync', service_account_uid: 'uid-1' },
  times_disabled: 3,
  role: 'FullAccess',
  signed_in_by: { kind: 'key', id: 'key-1' },
  session_name: 'nightly',
  issued_at: now / 1000,
  expires_at: now / 1000 + 3600,
};

/** Seals claims by position, as the service does. */
function sealed(packed: readonly unknown[]): string {
  const seal = new Uint8Array(hkdfSync('sha256', version.key, '', 'sluice session seal', 32));
  const nonce = Buffer.alloc(12, 5);
  const cipher = createCipheriv('aes-256-gcm', seal, nonce).setAAD(Buffer.from(accessKeyId));
  const text = Buffer.concat([cipher.update(JSON.stringify(packed)), cipher.final()]);
  return Buffer.concat([Buffer.from([0, 0, 0, 1]), nonce, text, cipher.getAuthTag()]).toString('base64url');
}

const packed = ['tides--sync', 'uid-1', 'FullAccess', 'key', 'key-1', 'nightly', claims.issued_at, claims.expires_at];

const name = 'a'.repeat(40);
const ofUser = (narrowed_to?: { account_id: string; repository_id: string; uid: string }): SessionClaims => ({
  ...claims,
  holder: { kind: 'user', account_id: name, ...(narrowed_to && { narrowed_to }) },
  signed_in_by: { kind: 'person', id: 'page' },
  session_name: 's'.repeat(64),
  times_disabled: 999,
});

test.each([
  ['a service account', claims],
  ['a user', ofUser()],
  ['a person, for one repository', ofUser({ account_id: name, repository_id: name, uid: 'u'.repeat(36) })],
])('a token of %s opens to its claims, and stays below the size limit', (_, issuedWith) => {
  const random = { uuid: () => '', bytes: (length: number) => new Uint8Array(length).fill(3) };
  const { access_key_id, session_token, ...issued } = issueSessionCredentials(issuedWith, [version], { now, random });
  const { claims: opened, ...secret } = openSessionToken(access_key_id, session_token, [version], now) ?? {};
  expect([opened, secret]).toEqual([issuedWith, issued]);
  expect(session_token.length).toBeLessThanOrEqual(limits.sessionTokenBytesMax);
});

test('opens a token with claims that a later release adds', () => {
  expect(openSessionToken(accessKeyId, sealed([...packed, 3, 'more']), [version], now)?.claims).toEqual(claims);
});

describe('a cached token', () => {
  const token = sealed([...packed, 3]);
  const open = (id: string, text: string, versions = [version], at = now) => openSessionToken(id, text, versions, at);
  const opened = open(accessKeyId, token);

  test('opens to the same claims', () => {
    expect(opened?.claims).toEqual(claims);
    expect(open(accessKeyId, token)).toEqual(opened);
  });

  test.each([
    ['with another access key id', `SCTA${'B'.repeat(16)}`, token],
    ['with a truncated end', accessKeyId, token.slice(0, -1)],
    ['with appended text', accessKeyId, `${token}A`],
    ['in another spelling of its last character', accessKeyId, respelled(token)],
    ['in characters of the other base64', accessKeyId, `${token.slice(0, -1)}=`],
    ['moved over to the access key id', `${accessKeyId} ${token.slice(0, 8)}`, token.slice(8)],
  ])('does not open %s', (_, id, text) => {
    expect(open(id, text)).toBeUndefined();
  });

  test('does not open once its version is no longer stored, or is another one of the same number', () => {
    expect(open(accessKeyId, token, [{ ...version, version: 2 }])).toBeUndefined();
    expect(open(accessKeyId, token, [{ ...version, key: new Uint8Array(32).fill(8) }])).toBeUndefined();
  });

  test('does not open once its version is retired', () => {
    const successor = { version: 2, key: new Uint8Array(32).fill(9), created_at: now };
    const retiredAt = now + (limits.secretActivationSeconds + limits.sessionKeyRetentionSeconds) * 1000;
    expect(open(accessKeyId, token, [version, successor], retiredAt - 1)).toEqual(opened);
    expect(open(accessKeyId, token, [version, successor], retiredAt)).toBeUndefined();
  });
});

/** Returns another base64url spelling of the same bytes. The last character has unused bits. */
function respelled(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = [...alphabet].find((character) => {
    const text = token.slice(0, -1) + character;
    return text !== token && Buffer.from(text, 'base64url').equals(Buffer.from(token, 'base64url'));
  });
  if (other === undefined) throw new Error('this token has one spelling only');
  return token.slice(0, -1) + other;
}
