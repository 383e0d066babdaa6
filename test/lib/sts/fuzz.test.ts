import fc from 'fast-check';
import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import type { EdgeRequest } from '../../../lib/domain/data/decision.ts';
import { ExchangeSetup, formRequest, requestId, roleArn } from './exchange-setup.ts';

/** Random requests. Each must be refused in a form that clients can parse, without an internal error. */

const setup = new ExchangeSetup();
const token = setup.issuer.token(setup.claims());
const names = ['Action', 'Version', 'RoleArn', 'RoleSessionName', 'WebIdentityToken', 'DurationSeconds', 'Policy'];
const good = ['AssumeRoleWithWebIdentity', 'GetCallerIdentity', '2011-06-15', roleArn, 'nightly', '3600', token];
/** Field values without a valid credential, so that every request is refused. */
const value = fc.oneof(
  fc.constantFrom(...good),
  fc.constantFrom('', 'sck_', `${setup.key}x`, `${token}.`, 'a.b.c', '\ud800', '%', '<&>', '\0'),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const field = fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 12 })), value);
const form = fc.array(field, { maxLength: 9 }).map((fields) => new URLSearchParams(fields).toString());
const body = fc.oneof(
  form.map((text) => new TextEncoder().encode(text)),
  fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
  fc.uint8Array({ maxLength: 200 }),
);
const headerText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom(
    'AWS4-HMAC-SHA256',
    'AWS4-HMAC-SHA256 Credential=SCTAAAAAAAAAAAAAAAAA/20261121/x/sts/aws4_request',
    token,
  ),
);
const request: fc.Arbitrary<EdgeRequest> = fc
  .record({
    body,
    method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'HEAD', 'BREW'),
    rawPath: fc.constantFrom('/.sts', '/.sts', '/.sts/', '/.sts//', '/'),
    rawQuery: fc.oneof({ weight: 6, arbitrary: fc.constant('') }, fc.string({ maxLength: 30 })),
    contentType: fc.oneof(
      { weight: 6, arbitrary: fc.constant('application/x-www-form-urlencoded') },
      fc.string({ maxLength: 30 }),
    ),
    headers: fc.dictionary(fc.constantFrom('authorization', 'x-amz-date', 'x-amz-security-token', 'host'), headerText),
  })
  .map(({ body: bytes, contentType, headers, ...rest }) =>
    formRequest(bytes, { ...rest, headers: { ...headers, 'content-type': contentType } }),
  );

const parser = new XMLParser({ parseTagValue: false });

test('any request that cannot sign in is refused with an error of STS and without an internal failure', async () => {
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      setup.reported.length = 0;
      const answer = await setup.send(sent);
      expect([400, 403, 404, 405]).toContain(answer.status);
      const { Error: error, RequestId } = parser.parse(answer.body).ErrorResponse;
      expect(error).toEqual({
        Type: 'Sender',
        Code: expect.stringMatching(/^[A-Z]\w+$/),
        Message: expect.stringMatching(/^\S.{10,}/),
      });
      expect(RequestId).toBe(requestId);
      expect(answer.headers['x-amz-request-id']).toBe(requestId);
      expect(setup.reported).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test('a key anywhere in the URL is refused first, without a read', async () => {
  const url = fc.string({ maxLength: 20 }).map((text) => encodeURI(text.toWellFormed()));
  await fc.assert(
    fc.asyncProperty(request, url, url, fc.boolean(), async (sent, before, after, isInPath) => {
      setup.store.requests.length = 0;
      const text = `${before}${setup.key}${after}`;
      const answer = await setup.send({ ...sent, ...(isInPath ? { rawPath: `/${text}` } : { rawQuery: text }) });
      expect(answer).toMatchObject({
        status: 400,
        code: 'ValidationError',
        message: 'API key must be sent in the request body, not the URL',
      });
      expect(answer.body).not.toContain(setup.key.slice(4, 14));
      expect(setup.store.requests).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
