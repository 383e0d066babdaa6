import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isSignedBy, parseCompactToken } from '../../../lib/sts/compact-token.ts';
import { parseKeySet } from '../../../lib/sts/issuer-keys.ts';

const path = new URL('../../../../shared/vectors/wycheproof/json_web_signature_test.json', import.meta.url);
const isAbsent = !existsSync(path);

interface Group {
  comment: string;
  public?: { alg?: string; kid?: string };
  private: { alg?: string; kid?: string };
  tests: { tcId: number; comment: string; jws: string; result: 'valid' | 'invalid' }[];
}
const groups: Group[] = isAbsent ? [] : JSON.parse(readFileSync(path, 'utf8')).testGroups;
const cases = groups.flatMap((group) => group.tests.map((vector) => ({ group, ...vector })));

async function isAccepted({ group, jws }: (typeof cases)[number]): Promise<boolean> {
  const token = parseCompactToken(jws);
  if (token === undefined) return false;
  const keys = parseKeySet({ keys: [group.public ?? group.private] }) ?? [];
  return isSignedBy(
    token,
    keys.filter(({ kid }) => kid === token.kid),
  );
}

/** Valid vectors that the service refuses on purpose, because CI tokens may not use their algorithms. */
const refusedOnPurpose = { HS256: 10, RS384: 4, RS512: 4, PS256: 6, PS384: 6, PS512: 4, ES512: 2 };

function algorithmOf({ jws }: (typeof cases)[number]): string {
  return JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString('latin1')).alg;
}

const name = 'the published JSON web signature vectors';

// If the vectors are absent, forged-signatures.test.ts covers the same cases with its own keys.
describe.skipIf(isAbsent)(isAbsent ? `${name} (not on this machine)` : name, () => {
  test('are complete', () => {
    expect(cases).toHaveLength(401);
    expect(cases.filter(({ result }) => result === 'valid')).toHaveLength(46);
  });

  test('contain no invalid signature that the verifier accepts', async () => {
    const accepted: string[] = [];
    for (const vector of cases.filter(({ result }) => result === 'invalid'))
      if (await isAccepted(vector)) accepted.push(`${vector.tcId} ${vector.comment}`);
    expect(accepted).toEqual([]);
  });

  test('contain no valid signature that the verifier refuses, except for algorithms that no CI token may use', async () => {
    const refused: Record<string, number> = {};
    for (const vector of cases.filter(({ result }) => result === 'valid')) {
      const algorithm = algorithmOf(vector);
      if (!(await isAccepted(vector))) refused[algorithm] = (refused[algorithm] ?? 0) + 1;
    }
    expect(refused).toEqual(refusedOnPurpose);
  });
});
