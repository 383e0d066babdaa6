import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import type { SignableRequest } from '../../../lib/sigv4/canonical.ts';
import { readSignature } from '../../../lib/sigv4/presented-signature.ts';
import { verifySignature } from '../../../lib/sigv4/verify.ts';
import { type SignerOptions, signingTime, signWithSmithy, type UnsignedRequest } from './signed-request.ts';

/** Requests of an independent signer, each changed at one point. */

function isVerified(request: SignableRequest): boolean {
  try {
    const presented = readSignature(request);
    if (presented === undefined) return false;
    verifySignature(request, presented, { secret_access_key: 'example secret' }, { now: signingTime, service: 's3' });
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((value) => value.isWellFormed());
const unsigned: fc.Arbitrary<UnsignedRequest> = fc.record({
  method: fc.constantFrom('GET', 'PUT', 'HEAD', 'DELETE', 'POST'),
  path: fc.array(text, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`),
  query: fc.dictionary(fc.stringMatching(/^[a-z-]{3,12}$/), text, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
  headers: fc
    .stringMatching(/^[!-~]{1,20}$/)
    .map((value) => ({ 'content-type': 'text/csv', 'x-amz-meta-note': value, 'x-amz-acl': 'private' })),
});
const inHeader: SignerOptions = { sessionToken: 'a-session-token' };
const inQuery: SignerOptions = { ...inHeader, expiresIn: 600 };

/** Replaces one digit, letter, or escape of the text. The meaning changes in any encoding. */
function changeOne(value: string, seed: number): string {
  const places = [...value.matchAll(/[A-Za-z0-9]/g)].map(({ index }) => index);
  const at = places[seed % places.length];
  if (at === undefined) return `${value}x`;
  const escaped = /%.?$/.exec(value.slice(0, at));
  if (escaped !== null) return `${value.slice(0, escaped.index)}x${value.slice(escaped.index + 3)}`;
  return `${value.slice(0, at)}${value[at] === 'x' ? 'y' : 'x'}${value.slice(at + 1)}`;
}

type Mutation = (request: SignableRequest, seed: number) => SignableRequest;

const header =
  (name: string): Mutation =>
  (request, seed) => ({
    ...request,
    headers: { ...request.headers, [name]: changeOne(request.headers[name] ?? '', seed) },
  });
const parameters = (rawQuery: string) => rawQuery.split('&').filter((part) => !part.startsWith('X-Amz-Signature='));

const anywhere: [string, Mutation][] = [
  ['another method', (request) => ({ ...request, method: request.method === 'PUT' ? 'GET' : 'PUT' })],
  ['another character in the path', (request, seed) => ({ ...request, rawPath: changeOne(request.rawPath, seed) })],
  ['a slash more', (request) => ({ ...request, rawPath: `${request.rawPath}/` })],
  ['a slash doubled', (request) => ({ ...request, rawPath: request.rawPath.replace('/', '//') })],
  ['a segment that resolves to nothing', (request) => ({ ...request, rawPath: `/x/..${request.rawPath}` })],
  ['an escape escaped', (request) => ({ ...request, rawPath: `${request.rawPath.replaceAll('%', '%25')}%25` })],
  ['a parameter more', (request) => ({ ...request, rawQuery: `${request.rawQuery}&a=b` })],
  [
    'a parameter less',
    (request, seed) => {
      const all = parameters(request.rawQuery);
      const gone = all[seed % all.length];
      return {
        ...request,
        rawQuery: request.rawQuery
          .split('&')
          .filter((part) => part !== gone)
          .join('&'),
      };
    },
  ],
  [
    'a parameter twice',
    (request, seed) => {
      const all = parameters(request.rawQuery);
      return { ...request, rawQuery: `${request.rawQuery}&${all[seed % all.length]}` };
    },
  ],
  [
    'another value of a parameter',
    (request, seed) => {
      const all = parameters(request.rawQuery);
      const [name, value = ''] = (all[seed % all.length] ?? '').split('=');
      const changed = `${name}=${changeOne(value, seed)}`;
      return { ...request, rawQuery: request.rawQuery.replace(`${name}=${value}`, () => changed) };
    },
  ],
  ['another host', header('host')],
  ['other metadata', header('x-amz-meta-note')],
  ['an x-amz- header more', (request) => ({ ...request, headers: { ...request.headers, 'x-amz-tagging': 'a=b' } })],
];

const ofHeaderForm: [string, Mutation][] = [
  ['another type', header('content-type')],
  ['another payload hash', header('x-amz-content-sha256')],
  ['another time', header('x-amz-date')],
  ['another token', header('x-amz-security-token')],
  ['a signed header less', ({ headers: { 'x-amz-acl': _, ...headers }, ...request }) => ({ ...request, headers })],
  [
    'another character in Authorization after its scheme',
    (request, seed) => {
      const [scheme = '', ...rest] = (request.headers['authorization'] ?? '').split(' ');
      const fields = rest.join(' ');
      // The access key ID selects the secret, so a request with another ID is verified with another secret.
      const [credential = '', ...others] = fields.split('/');
      const authorization = `${scheme} ${credential}/${changeOne(others.join('/'), seed)}`;
      return { ...request, headers: { ...request.headers, authorization } };
    },
  ],
];

const runs = { numRuns: 150 };

describe.each<[string, SignerOptions, [string, Mutation][]]>([
  ['signed in a header', inHeader, [...anywhere, ...ofHeaderForm]],
  ['presigned', inQuery, anywhere],
])('a request %s does not verify with', (_, options, mutations) => {
  test.each(mutations)('%s', async (_name, mutate) => {
    await fc.assert(
      fc.asyncProperty(unsigned, fc.nat(1000), async (request, seed) => {
        const signed = await signWithSmithy(request, options);
        expect(isVerified(signed)).toBe(true);
        const changed = mutate(signed, seed);
        fc.pre(JSON.stringify(changed) !== JSON.stringify(signed));
        expect(isVerified(changed)).toBe(false);
      }),
      runs,
    );
  });
});

test('the same request in another encoding verifies', async () => {
  const respell = (raw: string) => raw.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
  await fc.assert(
    fc.asyncProperty(unsigned, fc.constantFrom(inHeader, inQuery), async (request, options) => {
      const { rawPath, rawQuery, ...rest } = await signWithSmithy(request, options);
      const reordered = rawQuery.split('&').reverse().join('&');
      expect(isVerified({ ...rest, rawPath: respell(rawPath), rawQuery: respell(reordered) })).toBe(true);
    }),
    runs,
  );
});
