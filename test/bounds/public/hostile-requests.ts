import { gzipSync } from 'node:zlib';
import type { SentRequest } from './service-process.ts';

/** A part of a request that is as hostile as API Gateway or CloudFront allows. */
export type Part = Omit<SentRequest, 'to' | 'method' | 'path'> & { query?: string };

/**
 * API Gateway accepts 10,240 bytes of request line and headers. CloudFront accepts 8,192 bytes of a URL, and 20,480 of
 * URL and headers together.
 */
const headBytes = { site: 9000, data: 18_000 } as const;
const urlBytes = 7800;

const base64 = (text: string) => Buffer.from(text).toString('base64url');
const repeat = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));

export const hostileQueries: Readonly<Record<string, Part>> = {
  'one long parameter': { query: `q=${'a'.repeat(urlBytes)}` },
  'many parameters': { query: Array.from({ length: 1200 }, (_, at) => `p${at}=`).join('&') },
  'one parameter again and again': { query: repeat('cursor=x&', urlBytes) },
  'ampersands alone': { query: '&'.repeat(urlBytes) },
  'names that every object has': { query: '__proto__=1&constructor=2&toString=3&hasOwnProperty=4' },
  'escapes of letters that fold to many': { query: `q=${repeat('%EF%B7%BA', urlBytes)}` },
  'the longest search text': { query: `q=${repeat('%EF%B7%BA', 256 * 9)}` },
  'combining marks': { query: `q=a${repeat('%CC%81', 255 * 6)}` },
  'misspelt words': {
    query: `q=${Array.from({ length: 8 }, (_, at) => `b${'aeiouaeiou'.slice(at)}xxxx`).join('+')}&sort=relevance`,
  },
  'short beginnings of words': { query: 'q=ba+be+bi+bo+bu+ca+ce+co&sort=relevance' },
  'a cursor that is not base64': { query: `cursor=${'!'.repeat(2000)}` },
  'a long cursor': { query: `cursor=${'A'.repeat(4096)}` },
  'a cursor of another list': { query: `cursor=1.${'A'.repeat(2000)}` },
  'pluses alone': { query: `q=${'+'.repeat(urlBytes)}` },
  'most of a key in the URL': { query: `q=${repeat('sck_', urlBytes)}` },
  'a path of many parts': { query: `path=${repeat('a/', 1010)}b` },
  'a folder of many parts': { query: `path=${repeat('%22/', 4 * 512)}` },
  'steps upwards': { query: `path=${repeat('../', 1020)}b.csv` },
};

function token(header: unknown, claims: unknown, signature = 'AAAA'): string {
  return `${base64(JSON.stringify(header))}.${base64(JSON.stringify(claims))}.${signature}`;
}

/** Returns invalid identity tokens that name a trusted issuer. */
export function hostileTokens(issuer: string, bytes: number): Readonly<Record<string, string>> {
  const room = Math.floor((bytes * 3) / 4) - 300;
  const claims = { iss: issuer, sub: 'a', aud: 'b' };
  return {
    'an unknown key of its issuer': token({ alg: 'RS256', kid: 'unknown' }, claims),
    'a long name of its key': token({ alg: 'RS256', kid: 'k'.repeat(room - 200) }, claims),
    'many claims': token({ alg: 'RS256', kid: 'a' }, { ...claims, ...manyFields(Math.floor(room / 12)) }),
    'nested claims': token({ alg: 'RS256', kid: 'a' }, claims).replace(
      /\.[^.]+\./,
      `.${base64(`${'['.repeat(room / 2)}${']'.repeat(room / 2)}`)}.`,
    ),
    'many parts': '.'.repeat(bytes),
    'a long signature': token({ alg: 'RS256', kid: 'a' }, claims, 'A'.repeat(bytes - 200)),
    'no algorithm': token({ alg: 'none', kid: 'a' }, claims, ''),
    'equals signs': `${'='.repeat(bytes / 2)}.${'='.repeat(bytes / 2 - 4)}.`,
  };
}

export function hostileHeaders(to: SentRequest['to'], issuer: string): Readonly<Record<string, Part>> {
  const bytes = headBytes[to];
  const authorizations = Object.entries({
    ...Object.fromEntries(
      Object.entries(hostileTokens(issuer, bytes - 400)).map(([name, value]) => [
        `a token: ${name}`,
        `Bearer ${value}`,
      ]),
    ),
    'spaces between words': `Bearer${' '.repeat(bytes)}a`,
    'many words': repeat('a ', bytes),
    'an API key': `SCAKAAAAAAAAAAAAAAAA ${'a'.repeat(bytes)}`,
    'many signed headers': `AWS4-HMAC-SHA256 Credential=SCAKAAAAAAAAAAAAAAAA/20260101/us-east-1/s3/aws4_request, SignedHeaders=${repeat('host;', bytes - 300)}x-amz-date, Signature=${'a'.repeat(64)}`,
    'many fields of a signature': `AWS4-HMAC-SHA256 ${Array.from({ length: bytes / 8 }, (_, at) => `a${at}=`)
      .join(',')
      .slice(0, bytes)}`,
    'commas of a signature': `AWS4-HMAC-SHA256 ${','.repeat(bytes)}`,
  });
  const one = (name: string, value: string): Part => ({ headers: { [name]: value } });
  return {
    ...Object.fromEntries(
      authorizations.map(([name, value]): [string, Part] => [
        `Authorization with ${name}`,
        {
          headers: {
            authorization: value,
            'x-amz-date': '20260101T000000Z',
            'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
          },
        },
      ]),
    ),
    'many headers': { headers: Object.fromEntries(Array.from({ length: bytes / 12 }, (_, at) => [`x-${at}`, '1'])) },
    'one header again and again': { headers: { 'x-a': Array.from({ length: bytes / 10 }, () => '1') } },
    'many cookies': one('cookie', repeat('a=b; ', bytes)),
    'semicolons in cookies': one('cookie', `a${' '.repeat(bytes - 10)};b`),
    'many entity tags': one('if-none-match', `${repeat('"a", ', bytes)}"b"`),
    'an entity tag without an end': one('if-match', `"${'a'.repeat(bytes)}`),
    'many ranges': one('range', `bytes=${repeat('0-1,', bytes)}2-3`),
    'tabs in a content type': one('content-type', `application/json;${'\t'.repeat(bytes)}x`),
    'many accepted types': one('accept', `${repeat('text/html;q=0.1,', bytes)}*/*`),
    'many origins': one('origin', repeat('http://a', bytes)),
    'a long idempotency key': one('idempotency-key', 'k'.repeat(bytes)),
    'many forwarded addresses': one('x-forwarded-for', repeat('1.1.1.1, ', bytes)),
    'a copy source of many parts': one('x-amz-copy-source', repeat('/a', bytes)),
    'long metadata': { headers: { 'x-amz-meta-a': 'a'.repeat(bytes / 2), 'x-amz-tagging': repeat('a=b&', bytes / 3) } },
    'a request for browsers': {
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': repeat('x-a, ', bytes),
      },
    },
    'a page for a user': {
      headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'user-agent': 'Mozilla/5.0' },
    },
  };
}

function manyFields(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 0]));
}

const json = { 'content-type': 'application/json' };

const bodiesBySize = new Map<number, Readonly<Record<string, Part>>>();

/**
 * Returns hostile bodies of the given size, most of them JSON. Bodies of one size are built once, because some take
 * long.
 */
export function hostileBodies(bytes: number): Readonly<Record<string, Part>> {
  const bodies = bodiesBySize.get(bytes) ?? makeBodies(bytes);
  bodiesBySize.set(bytes, bodies);
  return bodies;
}

function makeBodies(bytes: number): Readonly<Record<string, Part>> {
  const of = (text: string): Part => ({ headers: json, body: text });
  return {
    'nested arrays': of(`${repeat('[', bytes / 2)}${repeat(']', bytes / 2)}`),
    'nested objects': of(`${repeat('{"a":', (bytes * 5) / 6)}1${repeat('}', bytes / 6)}`),
    'an array of numbers': of(`[${repeat('1,', bytes - 3)}1]`),
    'an array of objects': of(`[${repeat('{},', bytes - 4)}{}]`),
    'many fields': of(JSON.stringify(manyFields(Math.floor(bytes / 12)))),
    'names of 1,024 bytes': of(
      JSON.stringify(
        Object.fromEntries(
          Array.from({ length: Math.floor(bytes / 1034) }, (_, at) => [String(at).padEnd(1024, 'k'), 0]),
        ),
      ),
    ),
    'one long text': of(`"${repeat('a', bytes - 2)}"`),
    'one long number': of(repeat('9', bytes)),
    'letters that fold to many': of(`"${'\ufdfa'.repeat(Math.floor(bytes / 3) - 1)}"`),
    'broken UTF-8': { headers: json, body: new Uint8Array(bytes).fill(0xff) },
    'a compressed body': { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(50e6, '[')) },
    'a type of its own': {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: repeat('a=1&', bytes),
    },
    'a form with files': {
      headers: { 'content-type': `multipart/form-data; boundary=${'b'.repeat(70)}` },
      body: repeat(`--${'b'.repeat(70)}\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n`, bytes),
    },
  };
}

/** The largest body that API Gateway accepts. The limits of operations are lower. */
export const largestBody: Part = { headers: json, body: `[${'1,'.repeat(5 * 1024 * 1024 - 2)}1]` };

export function withPart(request: SentRequest, { query, headers, body }: Part): SentRequest {
  const path = query === undefined ? request.path : `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`;
  return { ...request, path, headers: { ...request.headers, ...headers }, body: body ?? request.body };
}
