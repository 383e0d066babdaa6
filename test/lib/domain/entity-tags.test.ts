import { describe, expect, test } from 'vitest';
import { matchesStrongly, matchesWeakly, parseTagCondition } from '../../../lib/domain/entity-tags.ts';

const strong = (text: string) => ({ isWeak: false, text });
const weak = (text: string) => ({ isWeak: true, text });

describe('a condition on entity tags', () => {
  test.each([
    ['*', '*'],
    [' * ', '*'],
    ['"v3"', [strong('v3')]],
    ['W/"v3"', [weak('v3')]],
    ['"v3", W/"v4","x,y"', [strong('v3'), weak('v4'), strong('x,y')]],
    ['""', [strong('')]],
    [', "v3" ,\t, "v4",', [strong('v3'), strong('v4')]],
    ['"é!#~"', [strong('é!#~')]],
  ])('is parsed from %j', (header, condition) => {
    expect(parseTagCondition(header)).toEqual(condition);
  });

  test.each([
    'v3',
    '',
    ' , ',
    '"v3',
    'v3"',
    '"v3" "v4"',
    '"v3";"v4"',
    'w/"v3"',
    'W/ "v3"',
    '"a b"',
    '"a\u007f"',
    '*, "v3"',
    '"v3", *',
    "'v3'",
  ])('is rejected in %j', (header) => {
    expect(parseTagCondition(header)).toBeUndefined();
  });

  test.each([
    ['"v3", W/"v4"', [strong('v3'), weak('v4')]],
    ['v3', [strong('v3')]],
    ['v3, "v4"', [strong('v3'), strong('v4')]],
    ['a b', undefined],
  ])('is parsed from %j in the syntax of S3', (header, condition) => {
    expect(parseTagCondition(header, 's3')).toEqual(condition);
  });

  test('of ten thousand invalid characters takes as little time as a valid one', () => {
    expect(parseTagCondition(`${'"a" '.repeat(2500)}`)).toBeUndefined();
    expect(parseTagCondition(' ,'.repeat(5000))).toBeUndefined();
  });
});

describe('tags are compared as in RFC 9110, section 8.8.3.2', () => {
  const isCurrent = (text: string) => text === '1';
  test.each([
    ['W/"1"', { strongly: false, weakly: true }],
    ['W/"2"', { strongly: false, weakly: false }],
    ['"1"', { strongly: true, weakly: true }],
    ['"2"', { strongly: false, weakly: false }],
    ['W/"1", "2"', { strongly: false, weakly: true }],
    ['"2", "1"', { strongly: true, weakly: true }],
    ['*', { strongly: true, weakly: true }],
  ])('%s with the ETag "1"', (header, { strongly, weakly }) => {
    const condition = parseTagCondition(header) ?? [];
    expect(matchesStrongly(condition, isCurrent)).toBe(strongly);
    expect(matchesWeakly(condition, isCurrent)).toBe(weakly);
  });
});
