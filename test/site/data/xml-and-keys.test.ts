import { describe, expect, it, test } from 'vitest';
import { xmlText } from '../../../lib/domain/xml.ts';
import { encodeKey, findKeyFault, sortTextOf } from '../../../site/data/keys.ts';
import { element, readAnswerXml } from '../../../site/data/xml.ts';

describe('XML of the data proxy', () => {
  it.each(['', '{"a":1}', '<a>', '<a></b>', '</a>', '<a/><b/>', '<html><br></html>'])('is rejected: %s', (source) => {
    expect(readAnswerXml(source)).toBeUndefined();
  });

  it.each(['<!--', '<?', '<!-- ', '<a ', '<a', '&#'])('is rejected without delay for many %j', (begun) => {
    // This text takes more than half a minute if the parser searches for the end of each unclosed element.
    expect(readAnswerXml(`<a>${begun.repeat(2 ** 17)}`)).toBeUndefined();
  });

  test('preserves the markup and line ends of a key', () => {
    const key = '<b>&"\r\n';
    const written = readAnswerXml(element('Object', [element('Key', key)]));
    expect(written && xmlText(written, 'Key')).toBe(key);
  });
});

describe('keys', () => {
  it.each([
    ['a/b.csv', undefined],
    ['a//b', undefined],
    ['.hidden/..x/...', undefined],
    ['', 'empty'],
    ['/', 'empty'],
    ['a/./b', 'dots'],
    ['..', 'dots'],
    ['tab\there', 'control'],
    ['half \ud800', 'not_text'],
    ['é'.repeat(512), undefined],
    [`${'é'.repeat(512)}x`, 'too_long'],
  ])('%j has the fault %s', (key, fault) => {
    expect(findKeyFault(key)).toBe(fault);
  });

  test('are encoded strictly in a path', () => {
    expect(encodeKey("a+b c/(d)!'*~é%?#&=;@:$,")).toBe(
      'a%2Bb%20c/%28d%29%21%27%2A~%C3%A9%25%3F%23%26%3D%3B%40%3A%24%2C',
    );
  });

  test('are sorted by their bytes', () => {
    const keys = ['a', 'a/', 'a/b', 'ab', 'b', 'é', '￿', '𝄞', '𝄞a', '\ue000'];
    const byBytes = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    expect(keys.toSorted((one, other) => (sortTextOf(one) < sortTextOf(other) ? -1 : 1))).toEqual(byBytes);
  });
});
