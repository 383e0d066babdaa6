import { describe, expect, test } from 'vitest';
import { parseAmzDate, readSignature } from '../../../lib/sigv4/presented-signature.ts';

const signature = '0a'.repeat(32);
const credential = 'AKEXAMPLE/20260301/eu-west-1/s3/aws4_request';
const covered = 'host;x-amz-date';
const amzDate = '20260301T100000Z';
const claims = {
  access_key_id: 'AKEXAMPLE',
  date: '20260301',
  region: 'eu-west-1',
  service: 's3',
  signed_headers: ['host', 'x-amz-date'],
  signature,
  amz_date: amzDate,
  timestamp: Date.UTC(2026, 2, 1, 10),
};

interface Sent {
  authorization?: string;
  rawQuery?: string;
  headers?: Record<string, string>;
}

function read({ authorization, rawQuery = '', headers = {} }: Sent) {
  const given = authorization === undefined ? {} : { authorization };
  return readSignature({ method: 'GET', rawPath: '/', rawQuery, headers: { ...headers, ...given } });
}

function refusalOf(sent: Sent): string {
  try {
    read(sent);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

const inHeader = (changes: Record<string, string | undefined> = {}) =>
  Object.entries({ Credential: credential, SignedHeaders: covered, Signature: signature, ...changes })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join(', ');
const header = (changes?: Record<string, string | undefined>, headers: Record<string, string> = {}): Sent => ({
  authorization: `AWS4-HMAC-SHA256 ${inHeader(changes)}`,
  headers: { 'x-amz-date': amzDate, ...headers },
});
const query = (changes: Record<string, string | undefined> = {}, headers: Record<string, string> = {}): Sent => {
  const all = {
    Algorithm: 'AWS4-HMAC-SHA256',
    ...{ Credential: encodeURIComponent(credential), Date: amzDate, Expires: '3600' },
    ...{ SignedHeaders: encodeURIComponent(covered), Signature: signature, ...changes },
  };
  const parts = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : `X-Amz-${name}=${value}`));
  return { rawQuery: parts.join('&'), headers };
};

const sha = 'e3'.repeat(32);

describe('the signature of a request', () => {
  test.each<[string, Sent, object]>([
    ['in a header', header(), {}],
    [
      'with other spaces',
      {
        ...header(),
        authorization: `AWS4-HMAC-SHA256  Credential = ${credential},SignedHeaders= ${covered} , Signature =${signature}`,
      },
      {},
    ],
    ['with an unknown field', header({ Other: 'a=b' }), {}],
    ['without a region', header({ Credential: credential.replace('eu-west-1', '') }), { region: '' }],
    [
      'with every character of a header name',
      header({ SignedHeaders: "host;a1!#$%&'*+.^_`|~-;b" }),
      { signed_headers: ['host', "a1!#$%&'*+.^_`|~-", 'b'] },
    ],
    ['with one signed header', header({ SignedHeaders: 'host' }), { signed_headers: ['host'] }],
    ['with a token', header({}, { 'x-amz-security-token': 'token' }), { session_token: 'token' }],
    ['with a hash', header({}, { 'x-amz-content-sha256': sha }), { payload_hash: sha }],
  ])('%s is read', (_, sent, changes) => {
    const whole = { form: 'header', expires_seconds: undefined, session_token: undefined, payload_hash: undefined };
    expect(read(sent)).toEqual({ ...whole, ...claims, ...changes });
  });

  test.each<[string, Sent, object]>([
    ['alone', query(), {}],
    ['with one second of life', query({ Expires: '1' }), { expires_seconds: 1 }],
    ['with a week of life', query({ Expires: '604800' }), { expires_seconds: 604_800 }],
    ['with a token', query({ 'Security-Token': 'a%2Bb%2F' }), { session_token: 'a+b/' }],
    ['with a token in a header', query({}, { 'x-amz-security-token': 'b' }), { session_token: 'b' }],
    ['with two tokens', query({ 'Security-Token': 'a' }, { 'x-amz-security-token': 'b' }), { session_token: 'a' }],
    ['with a hash', query({ 'Content-Sha256': sha }), { payload_hash: sha }],
    [
      'with a hash in a header',
      query({ 'Content-Sha256': 'a' }, { 'x-amz-content-sha256': sha }),
      { payload_hash: sha },
    ],
    ['with other parameters', { rawQuery: `a=1&a=1&AWSAccessKeyId=b&${query().rawQuery}` }, {}],
  ])('in a URL %s is read', (_, sent, changes) => {
    const whole = { form: 'query', expires_seconds: 3600, session_token: undefined, payload_hash: 'UNSIGNED-PAYLOAD' };
    expect(read(sent)).toEqual({ ...whole, ...claims, ...changes });
  });

  test.each<[string, Sent]>([
    ['nothing', {}],
    ['no parameter', { rawQuery: '&' }],
    ['other parameters', { rawQuery: 'X-Amz-Date=1&X-Amz-Expires=1&X-Amz-Date=2&Signature=b' }],
    ['the access key ID alone', { rawQuery: 'AWSAccessKeyId=a' }],
    ['parameters in lower case', { rawQuery: 'x-amz-signature=a&x-amz-algorithm=b' }],
    ['a parameter that ends like one', { rawQuery: 'aX-Amz-=a' }],
  ])('of a request with %s is absent', (_, sent) => {
    expect(read(sent)).toBeUndefined();
  });
});

describe('a signature is refused', () => {
  const scheme = 'authorization_malformed: .* Only AWS Signature Version 4';
  const field = 'authorization_malformed: .* Its Authorization header is not well formed';
  const scope = 'authorization_malformed: .* Its Credential must';
  const names = 'authorization_malformed: .* Its SignedHeaders must';
  const digits = 'authorization_malformed: .* Its Signature must';
  const date = 'authorization_malformed: .* It needs x-amz-date';
  const life = 'authorization_malformed: .* X-Amz-Expires must be 1 to 604800 seconds';
  const twice = 'authorization_malformed: .* given twice';
  test.each<[string, Sent, string]>([
    ['in both forms', { ...query(), ...header(), rawQuery: query().rawQuery ?? '' }, 'invalid_request: '],
    ['with another scheme', { authorization: 'AWS4-HMAC-SHA512 a=b' }, scheme],
    ['with a scheme alone', { authorization: 'AWS4-HMAC-SHA256' }, scheme],
    ['with the scheme at the end', { authorization: 'a AWS4-HMAC-SHA256 ' }, scheme],
    ['with an empty header', { authorization: '' }, scheme],
    ['without fields', { authorization: 'AWS4-HMAC-SHA256 ' }, field],
    ['with a field without a name', { ...header(), authorization: `${header().authorization}, =a` }, field],
    ['with a field without a value', { ...header(), authorization: `${header().authorization}, a` }, field],
    ['with a field twice', { ...header(), authorization: `${header().authorization}, Signature=${signature}` }, field],
    ['without a credential', header({ Credential: undefined }), scope],
    ...[
      'AK/20260301/r/s3',
      '/20260301/r/s3/aws4_request',
      'AK/2026030/r/s3/aws4_request',
      'AK/20260301/r//aws4_request',
      'a/AK/20260301/r/s3/aws4_request',
      'AK/20260301/r/s3/aws4_request/a',
    ].map((text): [string, Sent, string] => [`with the credential ${text}`, header({ Credential: text }), scope]),
    ['without signed headers', header({ SignedHeaders: undefined }), names],
    ...['', 'Host', 'host;', ';host', 'host;;a', 'ho st', 'host;(a)'].map((text): [string, Sent, string] => [
      `with the signed headers ${text}`,
      header({ SignedHeaders: text }),
      names,
    ]),
    ['without a signature', header({ Signature: undefined }), digits],
    ...[signature.slice(1), `${signature}0`, signature.toUpperCase(), `${signature.slice(1)}g`].map(
      (text): [string, Sent, string] => [`with the signature ${text}`, header({ Signature: text }), digits],
    ),
    ['without a date', { ...header(), headers: {} }, date],
    ['with the parameters date', header({}, { 'x-amz-date': '2026-03-01' }), date],
    ['in a URL without an algorithm', query({ Algorithm: undefined }), scheme],
    ['in a URL with another algorithm', query({ Algorithm: 'AWS4-HMAC-SHA512' }), scheme],
    ['in a URL with its algorithm alone', { rawQuery: 'X-Amz-Algorithm=a' }, scheme],
    ['in a URL with its credential alone', { rawQuery: 'X-Amz-Credential=a' }, scheme],
    ['in a URL with its signature alone', { rawQuery: 'X-Amz-Signature=a' }, scheme],
    ['in a URL of version 2', { rawQuery: 'AWSAccessKeyId=a&Signature=b' }, scheme],
    ['in a URL without a credential', query({ Credential: undefined }), scope],
    ['in a URL without signed headers', query({ SignedHeaders: undefined }), names],
    ['in a URL without a signature', query({ Signature: undefined }), digits],
    ['in a URL without a date', query({ Date: undefined }, { 'x-amz-date': amzDate }), date],
    ['in a URL without a life', query({ Expires: undefined }), life],
    ...['0', '-1', '604801', '1000000', '1.5', '1e3', ''].map((text): [string, Sent, string] => [
      `in a URL with the life ${text}`,
      query({ Expires: text }),
      life,
    ]),
    ['in a URL with a parameter twice', { rawQuery: `${query().rawQuery}&X-Amz-Date=${amzDate}` }, twice],
    ['in a URL with an unknown parameter twice', { rawQuery: `X-Amz-A=1&X-Amz-A=1&${query().rawQuery}` }, twice],
    [
      'in a URL with a parameter twice before others',
      { rawQuery: `X-Amz-Date=${amzDate}&${query().rawQuery}&X-Amz-B=1` },
      twice,
    ],
  ])('%s', (_, sent, refusal) => {
    expect(refusalOf(sent)).toMatch(new RegExp(`^${refusal}`));
  });
});

test.each([
  ['20260301T100203Z', Date.UTC(2026, 2, 1, 10, 2, 3)],
  ['20261301T100000Z', undefined],
  ['20260301T100000', undefined],
  ['120260301T100000Z', undefined],
  ['20260301T100000Z0', undefined],
  ['', undefined],
])('the date %j means %j', (text, timestamp) => {
  expect(parseAmzDate(text)).toBe(timestamp);
});
