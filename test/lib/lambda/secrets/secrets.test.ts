import { beforeEach, expect, test } from 'vitest';
import { createSecretSource } from '../../../../lib/lambda/secrets/secrets.ts';

/** The current value of the secret in Secrets Manager. */
let stored: object;
let reads: number;
let now: number;
const minute = 60_000;
const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const first = { version: 1, key: key(1), created_at: '2026-11-01T00:00:00Z' };
const second = { version: 2, key: key(2), created_at: '2026-11-21T10:00:00Z' };

function source() {
  const readText = async () => {
    reads += 1;
    return JSON.stringify(stored);
  };
  return createSecretSource(readText, 'sluice/session-keys', () => now);
}

beforeEach(() => {
  stored = first;
  reads = 0;
  now = Date.parse(second.created_at);
});

test('a secret has the value that Secrets Manager generated until it is rotated, and is read once', async () => {
  const read = source();
  expect(await read()).toEqual([{ version: 1, key: Buffer.alloc(32, 1), created_at: Date.parse(first.created_at) }]);
  await read();
  expect(reads).toBe(1);
});

test('an existing version stays the same object, because derived keys are cached by it', async () => {
  const read = source();
  const [before] = await read();
  stored = { versions: [first, second] };
  now += 6 * minute;
  const [after] = await read();
  expect(after).toBe(before);
});
