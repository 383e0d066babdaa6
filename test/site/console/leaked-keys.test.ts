import { expect, test } from 'vitest';
import { findKeys, namesOfKeys } from '../../../site/console/leaked-key/keys-in-text.ts';

const key = `sck_${'a1'.repeat(18)}`;
const id = (letter: string) => `SCAK${letter.repeat(16)}`;
const secret = (letter: string) => letter.repeat(64);

test('the search finds a key once in any surrounding text', () => {
  const { keys, cutShort } = findKeys(`AWS_KEY="${key}"\n- run: echo ${key}; # (${key})`);
  expect(keys).toEqual([key]);
  expect(cutShort).toEqual([]);
  expect(namesOfKeys(keys)).toEqual([`${key.slice(0, 8)}…`]);
});

test('the search reports keys of AWS separately, and sends none of them', () => {
  const [long, short] = [`AKIA${'A'.repeat(16)}`, `ASIA${'B'.repeat(16)}`];
  const found = findKeys(
    `aws_access_key_id = ${long}\n${short}\naws_secret_access_key = ${'a/+'.repeat(13)}b\n${secret('a')}`,
  );
  expect(found).toMatchObject({ keys: [], withoutSecret: [], cutShort: [], ofAws: [long, short] });
});

test('a truncated or a longer text is no key', () => {
  for (const text of [key.slice(0, -1), `${key}x`, 'sck_']) {
    expect(findKeys(text)).toMatchObject({ keys: [], cutShort: [`${text.slice(0, 8)}…`] });
  }
  expect(findKeys(`risck_${'a'.repeat(36)} and no key`)).toMatchObject({ keys: [], cutShort: [] });
});

test('an access key is paired with each secret near it, in any order of the text', () => {
  const orders = [
    [id('A'), secret('a'), id('B'), secret('b')],
    [secret('a'), id('A'), secret('b'), id('B')],
    [id('A'), id('B'), secret('a'), secret('b')],
    [id('A'), secret('0'), secret('1'), secret('a'), id('B'), secret('b')],
  ];
  for (const order of orders) {
    const { keys, withoutSecret } = findKeys(order.join('\n'));
    expect(keys).toContainEqual({ access_key_id: id('A'), secret_access_key: secret('a') });
    expect(keys).toContainEqual({ access_key_id: id('B'), secret_access_key: secret('b') });
    expect(withoutSecret).toEqual([]);
    expect(namesOfKeys(keys).toSorted()).toEqual([id('A'), id('B')]);
  }
});

const checksums = (count: number) =>
  Array.from({ length: count }, (_, number) => `${number}`.padStart(64, '0')).join('\n');

test('an access key is paired with every secret of a text that fits one request', () => {
  const { keys, partlyTried } = findKeys(`${id('A')}\n${checksums(999)}\n${secret('a')}`);
  expect(keys).toHaveLength(1000);
  expect(keys).toContainEqual({ access_key_id: id('A'), secret_access_key: secret('a') });
  expect(partlyTried).toEqual([]);
});

test('an access key is paired with the nearest 1,000 secrets on both sides, and its ID is reported as partly tried', () => {
  const { keys, partlyTried } = findKeys(
    `${checksums(2000)} ${secret('b')} ${id('A')} ${secret('a')} ${checksums(2000)}`,
  );
  expect(keys).toHaveLength(1000);
  for (const near of [secret('a'), secret('b')]) {
    expect(keys).toContainEqual({ access_key_id: id('A'), secret_access_key: near });
  }
  expect(partlyTried).toEqual([id('A')]);
});

test('a text of a million letters gives a limited number of pairs', () => {
  const ids = Array.from(
    { length: 10_000 },
    (_, number) => `SCAK${number.toString(2).padStart(16, 'A').replaceAll('0', 'B').replaceAll('1', 'C')}`,
  );
  const { keys, partlyTried } = findKeys(`${ids.join('\n')}\n${checksums(10_000)}`);
  expect(keys).toHaveLength(80_000);
  expect(partlyTried).toHaveLength(10_000);
});

test('the search reports an ID without a secret, and temporary credentials', () => {
  expect(findKeys(`${id('A')} SCTA${'B'.repeat(16)}`)).toEqual({
    keys: [],
    withoutSecret: [id('A')],
    partlyTried: [],
    cutShort: [],
    temporary: [`SCTA${'B'.repeat(16)}`],
    ofAws: [],
  });
});
