import { convertToNative, marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AttributeMap, marshallMap, unmarshallMap } from '../../../../lib/lambda/aws/attribute-values.ts';

// The SDK cannot write these two names.
const names = fc
  .oneof(fc.string(), fc.constantFrom('toString', 'S', 'M', 'NULL'))
  .filter((name) => name !== '__proto__' && name !== 'constructor');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
    fc.bigInt(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
    fc.uniqueArray(fc.string(), { minLength: 1 }).map((members) => new Set(members)),
    fc.uniqueArray(fc.maxSafeInteger(), { minLength: 1 }).map((members) => new Set(members)),
    fc.array(fc.oneof(tie('value'), fc.constant(undefined))),
    fc.dictionary(names, fc.oneof(tie('value'), fc.constant(undefined))),
  ),
}));

/** Converts a map to its form in a request, with bytes in base64. */
const onTheWire = (map: object): AttributeMap =>
  JSON.parse(
    JSON.stringify(map, (_, part) =>
      part instanceof Object && 'B' in part && part.B instanceof Uint8Array
        ? { B: Buffer.from(part.B).toString('base64') }
        : part,
    ),
  );

test('values of every kind are written as the SDK writes them, and read back as it reads them', () => {
  fc.assert(
    fc.property(value, (given) => {
      const written = onTheWire(marshallMap({ given }));
      expect(written).toEqual(onTheWire(marshall({ given }, { removeUndefinedValues: true })));
      const sent = marshall({ given }, { removeUndefinedValues: true })['given'];
      expect(unmarshallMap(written)['given']).toEqual(sent === undefined ? undefined : convertToNative(sent));
    }),
  );
});

test('a set of bytes comes back as one', () => {
  const given = new Set([Uint8Array.of(1), Uint8Array.of(2, 3)]);
  expect(unmarshallMap(onTheWire(marshallMap({ given })))).toEqual({ given });
});

test.each(['__proto__', 'constructor'])('%s is a name like others', (name) => {
  const record = JSON.parse(`{ "${name}": "text" }`);
  const map = marshallMap(record);
  expect(JSON.stringify(map)).toBe(`{"${name}":{"S":"text"}}`);
  expect(JSON.stringify(unmarshallMap(JSON.parse(JSON.stringify(map))))).toBe(`{"${name}":"text"}`);
});

describe('what DynamoDB would keep as something else is refused', () => {
  test.each([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [2 ** 53],
    [new Set()],
    [new Set(['text', 1])],
    [() => undefined],
    [Symbol('s')],
  ])('%s', (given) => expect(() => marshallMap({ given })).toThrow());
});
