import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSealedText, sealText } from '../../../../lib/domain/secrets/sealed-text.ts';

const version = (number: number) => ({ version: number, key: Buffer.alloc(32, number), created_at: number });
const versions = [version(1), version(2)];

describe('a sealed text', () => {
  test('opens only for its scope, and does not contain its plain text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string(), (text, scope, other) => {
        const sealed = sealText(text, scope, versions, 10);
        expect(openSealedText(sealed, scope, versions)).toBe(text.toWellFormed());
        if (other !== scope) expect(openSealedText(sealed, other, versions)).toBeUndefined();
      }),
    );
    const sealed = sealText('tide-institute/secret-merger', 'list', versions, 10);
    expect(Buffer.from(sealed.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('secret');
  });

  test('opens after a rotation, but not after its version is removed', () => {
    const sealed = sealText('position', 'list', versions.slice(0, 1), 10);
    expect(openSealedText(sealed, 'list', versions)).toBe('position');
    expect(openSealedText(sealed, 'list', versions.slice(1))).toBeUndefined();
  });

  test('does not open after a change of any byte', () => {
    const sealed = sealText('position', 'list', versions, 10);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = sealed.slice(0, index) + (sealed[index] === 'A' ? 'B' : 'A') + sealed.slice(index + 1);
      const opened = openSealedText(changed, 'list', versions);
      // The last character contains bits that base64url does not use.
      if (index < sealed.length - 1) expect(opened, String(index)).toBeUndefined();
    }
    for (const bad of ['', '.', '1.', '2.AAAA', 'x.AAAA'])
      expect(openSealedText(bad, 'list', versions)).toBeUndefined();
  });
});
