import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalCertificate, openLocalCertificate } from '../../../lib/local/certificate.ts';

const dayMs = 86_400_000;

describe('the certificate of the local servers', () => {
  let shown: LocalCertificate;
  let authority: X509Certificate;
  let server: X509Certificate;
  beforeAll(async () => {
    shown = await openLocalCertificate(undefined, Date.now);
    authority = new X509Certificate(shown.authority);
    server = new X509Certificate(shown.certificate);
  });

  test.each(['localhost', 'tide-institute.localhost', 'ada.localhost'])('is valid for %s', (name) => {
    expect(server.checkHost(name)).toBe(name);
  });

  test('is valid for the loopback address, and for no other host', () => {
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.checkHost('example.org')).toBeUndefined();
  });

  test('cannot sign, and the key of its authority is not stored', () => {
    expect(server.ca).toBe(false);
    expect(authority.ca).toBe(true);
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(createPublicKey(shown.key).equals(server.publicKey)).toBe(true);
    expect(server.publicKey.equals(authority.publicKey)).toBe(false);
  });
});

describe('a stored certificate', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'sluice-tls-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test('is used until a week before it expires', async () => {
    const madeAt = Date.parse('2026-01-01T00:00:00Z');
    const made = await openLocalCertificate(directory, () => madeAt);
    expect(await openLocalCertificate(directory, () => madeAt + 357 * dayMs)).toEqual(made);
    const next = await openLocalCertificate(directory, () => madeAt + 358 * dayMs);
    expect(next.certificate).not.toBe(made.certificate);
    expect(next.authority).not.toBe(made.authority);
  });
});
