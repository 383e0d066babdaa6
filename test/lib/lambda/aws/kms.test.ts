import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createConnectionSecretOpener, createConnectionSecrets } from '../../../../lib/lambda/aws/kms.ts';
import { serveInTest } from '../../../service/http-server.ts';

test('seals and opens credentials with the ID of their connection as the encryption context', async () => {
  const received: unknown[] = [];
  const endpoint = await serveInTest(async (request, response) => {
    const { CiphertextBlob, Plaintext, ...rest } = (await json(request)) as Record<string, string>;
    received.push([request.headers['x-amz-target'], rest]);
    // This KMS returns what it gets.
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
