import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import type { SignableRequest } from '../../../lib/sigv4/canonical.ts';
import { readSignature } from '../../../lib/sigv4/presented-signature.ts';
import { signRequest } from '../../../lib/sigv4/sign.ts';
import { verifySignature } from '../../../lib/sigv4/verify.ts';
import { type SignerOptions, signingTime, signWithSmithy } from './signed-request.ts';

const secret = { secret_access_key: 'example secret' };

function outcome(request: SignableRequest, holder = secret) {
  try {
    const presented = readSignature(request);
    if (presented === undefined) return 'anonymous';
    verifySignature(request, presented, holder, { now: signingTime, service: 's3' });
    return 'verified';
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

describe('an independent signer', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  // The signer stores parameters in a plain object and loses the name `__proto__`.
  const parameterName = fc.stringMatching(/^[A-Za-z0-9 +._~-]{1,12}$/).filter((name) => name !== '__proto__');
  const headerText = fc.stringMatching(/^[ -~]{1,30}$/).filter((value) => value.trim() !== '');
  const options: fc.Arbitrary<SignerOptions> = fc.record({
    region: fc.constantFrom('us-east-1', 'auto', 'eu-central-1', 'no-such-region-9'),
    sessionToken: fc
      .option(fc.stringMatching(/^[A-Za-z0-9_/+=-]{10,60}$/), { nil: undefined })
      .map((token) => token ?? ''),
    expiresIn: fc.option(fc.integer({ min: 1, max: 604_800 }), { nil: undefined }).map((life) => life ?? 0),
  });

  test('and this verifier agree on every path, query and metadata', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'PUT', 'HEAD', 'DELETE', 'POST'),
        fc.array(text, { maxLength: 4 }),
        fc.dictionary(parameterName, text, { maxKeys: 4, noNullPrototype: true }),
        headerText,
        options,
        async (method, segments, query, metadata, { sessionToken = '', expiresIn = 0, ...rest }) => {
          const request = await signWithSmithy(
            { method, path: `/${segments.join('/')}`, query, headers: { 'x-amz-meta-note': metadata } },
            { ...rest, ...(sessionToken === '' ? {} : { sessionToken }), ...(expiresIn === 0 ? {} : { expiresIn }) },
          );
          expect(outcome(request)).toBe('verified');
          expect(outcome(request, { secret_access_key: 'example secret.' })).toBe('signature_mismatch');
        },
      ),
      { numRuns: 300 },
    );
  });

  test('and this signer create the same signature', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 3 }), headerText, async (segments, metadata) => {
        const theirs = await signWithSmithy({
          path: `/${segments.join('/')}`,
          headers: { 'x-amz-meta-note': metadata },
        });
        const { authorization, 'x-amz-date': _, ...headers } = theirs.headers;
        const ours = signRequest(
          { ...theirs, headers },
          { access_key_id: 'AKEXAMPLE', ...secret },
          {
            now: signingTime,
            region: 'eu-central-1',
            service: 's3',
            payloadHash: headers['x-amz-content-sha256'] ?? '',
          },
        );
        expect(ours['authorization']).toBe(authorization);
      }),
      { numRuns: 100 },
    );
  });
});
