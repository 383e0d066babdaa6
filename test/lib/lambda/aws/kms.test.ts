import { generateKeyPairSync, sign } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { calculateJwkThumbprint, createLocalJWKSet, type JWK, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { createStorageToken } from '../../../../lib/domain/data/web-identity.ts';
import {
  createConnectionSecretOpener,
  createConnectionSecrets,
  createStorageIssuer,
} from '../../../../lib/lambda/aws/kms.ts';
import { serveInTest } from '../../../service/http-server.ts';

test('encrypts and decrypts credentials with the ID of their connection as the encryption context', async () => {
  const received: unknown[] = [];
  const endpoint = await serveInTest(async (request, response) => {
    const { CiphertextBlob, Plaintext, ...rest } = (await json(request)) as Record<string, string>;
    received.push([request.headers['x-amz-target'], rest]);
    // This test server returns the plain text as the ciphertext, and the reverse.
    response.end(JSON.stringify({ CiphertextBlob: Plaintext, Plaintext: CiphertextBlob }));
  });
  const credentials = () => ({ access_key_id: 'AKID', secret_access_key: 'secret' });
  const options = { region: 'eu-west-1', endpoint, credentials };
  const authentication = { type: 's3_access_key', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'storage' } as const;
  const sealed = await createConnectionSecrets(options, 'key').seal(authentication, 'store');
  expect(await createConnectionSecretOpener(options, 'key').open(sealed, 'store')).toEqual(authentication);
  const request = { KeyId: 'key', EncryptionContext: { data_connection_id: 'store' } };
  expect(received).toEqual(['Encrypt', 'Decrypt'].map((operation) => [`TrentService.${operation}`, request]));
});

test('signs tokens with the first key, and publishes all keys by the thumbprint of each', async () => {
  const keys = new Map(
    ['alias/one', 'alias/two'].map((id) => [id, generateKeyPairSync('rsa', { modulusLength: 2048 })]),
  );
  let calls = 0;
  const endpoint = await serveInTest(async (request, response) => {
    const { KeyId = '', Message = '', ...rest } = (await json(request)) as Record<string, string>;
    const pair = keys.get(KeyId);
    if (pair === undefined) throw new Error(`no key ${KeyId}`);
    calls += 1;
    if (request.headers['x-amz-target'] === 'TrentService.GetPublicKey') {
      const PublicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
      return response.end(JSON.stringify({ PublicKey }));
    }
    expect(rest).toEqual({ MessageType: 'RAW', SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256' });
    const Signature = sign('sha256', Buffer.from(Message, 'base64'), pair.privateKey).toString('base64');
    response.end(JSON.stringify({ Signature }));
  });
  const credentials = () => ({ access_key_id: 'AKID', secret_access_key: 'secret' });
  const settings = { issuer: 'https://data.example.org/.identity', deployment_id: 'sluice' };
  const now = Date.now();
  const issuer = createStorageIssuer(
    { ...settings, key_ids: ['alias/one', 'alias/two'] },
    { region: 'us-east-1', endpoint, credentials },
    () => now,
  );
  const { published } = await issuer.signer.readKeys();
  const thumbprints = await Promise.all(
    [...keys.values()].map(async ({ publicKey }) => calculateJwkThumbprint(publicKey.export({ format: 'jwk' }) as JWK)),
  );
  expect(published.map(({ kid }) => kid)).toEqual(thumbprints);
  const token = await createStorageToken(issuer, 'sluice:sluice:tides:uid', { now, id: 'one' });
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys: [...published] }));
  expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: thumbprints[0] });
  expect(payload).toMatchObject({ iss: settings.issuer, aud: 'sts.amazonaws.com', sub: 'sluice:sluice:tides:uid' });
  // The public keys are cached, so no further request is sent.
  await createStorageToken(issuer, 'sluice:sluice:tides:other', { now, id: 'two' });
  expect(calls).toBe(4);
});
