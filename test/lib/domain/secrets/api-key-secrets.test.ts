import { expect, test } from 'vitest';
import { deriveApiKeySecret, openApiKey } from '../../../../lib/domain/secrets/api-key-secrets.ts';

const id = `SCAK${'A'.repeat(16)}`;
const masters = [7, 8].map((byte) => ({ version: 1, key: new Uint8Array(32).fill(byte), created_at: 0 }));

test('the cached secret of a key is the one of the given master secret', () => {
  for (const master of [...masters, ...masters]) {
    expect(openApiKey(master, id).secret_access_key).toBe(deriveApiKeySecret(master, id));
    expect(openApiKey(master, id)).toBe(openApiKey(master, id));
  }
});
