import { beforeEach, describe, expect, test } from 'vitest';
import type { EdgeRequest } from '../../../lib/domain/data/decision.ts';
import { ExchangeSetup, formRequest, type Issued, issuedBy, serviceAccountId, signedForm } from './exchange-setup.ts';

let setup: ExchangeSetup;
let credentials: Issued;
beforeEach(async () => {
  setup = new ExchangeSetup();
  credentials = issuedBy(await setup.exchange());
  setup.store.requests.length = 0;
});

const body = 'Action=GetCallerIdentity&Version=2011-06-15';

const signed = ({
  as = credentials,
  at = setup.now,
  ...more
}: Partial<Parameters<typeof signedForm>[2]> & { as?: Issued } = {}) => signedForm(as, body, { at, ...more });

describe('GetCallerIdentity', () => {
  test.each(['us-east-1', 'eu-central-1', 'anywhere'])(
    'returns the principal of the credentials, signed for %s',
    async (region) => {
      const answer = await setup.send(await signed({ region }));
      expect(answer.status).toBe(200);
      expect(answer.element('Account')).toBe(serviceAccountId);
      expect(answer.element('Arn')).toBe(`arn:aws:sts::${serviceAccountId}:assumed-role/FullAccess/nightly`);
      expect(answer.element('UserId')).toMatch(/^SCRA[A-Z2-7]{16}:nightly$/);
      expect(answer.body).toMatch(/^<GetCallerIdentityResponse xmlns=.*<GetCallerIdentityResult>/);
      expect(setup.store.requests).toEqual([]);
    },
  );

  test('gives every session of a service account and role the same stable id', async () => {
    const ids = new Set([
      (await setup.exchange()).element('AssumedRoleId'),
      (await setup.exchange()).element('AssumedRoleId'),
      (await setup.send(await signed())).element('UserId'),
    ]);
    expect(ids.size).toBe(1);
    setup.addServiceAccount({ uid: 'another' });
    const key = setup.addKey({ service_account_uid: 'another' });
    expect(ids).not.toContain((await setup.exchange({ WebIdentityToken: key })).element('AssumedRoleId'));
  });

  test('works until the credentials expire', async () => {
    setup.now += 3_599_000;
    expect((await setup.send(await signed())).status).toBe(200);
    setup.now += 1000;
    expect(await setup.send(await signed())).toMatchObject({ status: 403, code: 'ExpiredToken' });
  });

  test.each<[string, (request: EdgeRequest) => EdgeRequest, number, string]>([
    ['unsigned', () => formRequest(body), 403, 'MissingAuthenticationToken'],
    ['with another body', (r) => ({ ...r, body: formRequest(`${body}&X=1`).body }), 403, 'SignatureDoesNotMatch'],
    [
      'with another host',
      (r) => ({ ...r, headers: { ...r.headers, host: 'eve.example.org' } }),
      403,
      'SignatureDoesNotMatch',
    ],
    ['without session token', (r) => without(r, 'x-amz-security-token'), 403, 'InvalidClientTokenId'],
    [
      'with a session token changed in one character',
      (r) => ({
        ...r,
        headers: { ...r.headers, 'x-amz-security-token': flip(r.headers['x-amz-security-token'] ?? '', 60) },
      }),
      403,
      'InvalidClientTokenId',
    ],
    [
      'under another access key id',
      (r) => ({
        ...r,
        headers: {
          ...r.headers,
          authorization: (r.headers['authorization'] ?? '').replace(/SCTA\w{16}/, `SCTA${'A'.repeat(16)}`),
        },
      }),
      403,
      'InvalidClientTokenId',
    ],
    [
      'with a header that is not signed',
      (r) => ({ ...r, headers: { ...r.headers, 'x-amz-extra': '1' } }),
      403,
      'AccessDenied',
    ],
    [
      'with another scheme',
      (r) => ({ ...r, headers: { ...r.headers, authorization: 'Bearer x' } }),
      400,
      'IncompleteSignature',
    ],
  ])('is refused %s', async (_, change, status, code) => {
    expect(await setup.send(change(await signed()))).toMatchObject({ status, code });
  });

  test.each<[string, Parameters<typeof signed>[0], number, string]>([
    ['for another service', { service: 's3' }, 400, 'IncompleteSignature'],
    ['16 minutes ago', { at: Date.parse('2026-11-21T09:44:00Z') }, 400, 'RequestExpired'],
    ['16 minutes from now', { at: Date.parse('2026-11-21T10:16:00Z') }, 400, 'RequestExpired'],
  ])('is refused when signed %s', async (_, options, status, code) => {
    expect(await setup.send(await signed(options))).toMatchObject({ status, code });
  });

  test('is refused with another secret, or mixed with other issued credentials', async () => {
    const wrong = await signed({ as: { ...credentials, secretAccessKey: flip(credentials.secretAccessKey, 3) } });
    expect((await setup.send(wrong)).code).toBe('SignatureDoesNotMatch');
    const other = await setup.exchange();
    const mixed = await signed({ as: { ...credentials, sessionToken: other.element('SessionToken') ?? '' } });
    expect((await setup.send(mixed)).code).toBe('InvalidClientTokenId');
  });
});

function without(request: EdgeRequest, name: string): EdgeRequest {
  return { ...request, headers: Object.fromEntries(Object.entries(request.headers).filter(([key]) => key !== name)) };
}

function flip(text: string, position: number): string {
  return text.slice(0, position) + (text[position] === 'A' ? 'B' : 'A') + text.slice(position + 1);
}
