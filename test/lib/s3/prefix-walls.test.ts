import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Decision, EdgeRequest, StorageRequest } from '../../../lib/domain/data/decision.ts';
import { signRequest } from '../../../lib/sigv4/sign.ts';
import { dataFixture, decide, edgeRequest, now, outcome, sessionOptions, signed } from './data-fixture.ts';

/** Every request to storage must begin with the repository's prefix, byte by byte, and must name the requested key. */

const prefix = 'hidden/tide-institute/raw-drafts/';
const fixture = dataFixture();

const piece = fc.oneof(
  fc.constantFrom('..', '.', '/', '//', '\\', '..\\', '%2F', '%2f', '%2E%2E', '%252F', '%00', '%', '%%', '?', '#', '&'),
  fc.constantFrom('\0', '\r\n', '\t', ' ', '+', '=', ';', ':', '@', '*', '~', '"', "'", '<', '>', '|', '^', '`', '{}'),
  fc.constantFrom('ä', '日本', '😀', '\u2215', '\uff0f', '\u2024\u2024', '\u202e', '\ufeff', '\u00a0', '\u0301', 'ﬀ'),
  fc.constantFrom('ungranted/', 'hidden/', 'tide-institute/', 'raw-drafts/', '../ungranted/x', 'a', 'x-amz-meta-a'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
);
const keyText = fc
  .oneof(
    { weight: 20, arbitrary: fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(1024 - prefix.length), '../'.repeat(300), 'é'.repeat(495)) },
  )
  .filter((key) => key.isWellFormed() && !/sck_/i.test(key));

/** Spells each byte literally or escaped, in upper or lower case. Request lines may contain any of these. */
function spell(key: string, choices: readonly number[]): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte, index) => {
      const character = String.fromCharCode(byte);
      const escaped = `%${byte.toString(16).padStart(2, '0')}`;
      const choice = choices[index % choices.length] ?? 0;
      if (choice === 0 && /[A-Za-z0-9._~/+=:@!$'()*,;-]/.test(character)) return character;
      return choice === 1 ? escaped : escaped.toUpperCase();
    })
    .join('');
}

/** Decodes an escaped text without the code under test, and resolves nothing else. */
function bytesOf(escaped: string): Buffer {
  const bytes: number[] = [];
  for (let index = 0; index < escaped.length; index += 1) {
    if (escaped[index] === '%') {
      expect(escaped.slice(index + 1, index + 3)).toMatch(/^[0-9A-F]{2}$/);
      bytes.push(Number.parseInt(escaped.slice(index + 1, index + 3), 16));
      index += 2;
    } else {
      expect(escaped.charCodeAt(index)).toBeLessThan(128);
      bytes.push(escaped.charCodeAt(index));
    }
  }
  return Buffer.from(bytes);
}

interface Asked {
  method?: string;
  rawPath: string;
  rawQuery?: string;
  headers?: Record<string, string>;
}

function asClient({ method = 'GET', rawPath, rawQuery = '', headers = {} }: Asked): EdgeRequest {
  const { accessKeyId = '', secretAccessKey = '', sessionToken = '' } = sessionOptions();
  const request = { method, rawPath, rawQuery, headers: { host: 'data.example.org', ...headers } };
  const credentials = { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken };
  const signing = { now, region: 'any-1', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' };
  return edgeRequest({ ...request, headers: signRequest(request, credentials, signing) });
}

const sentTo = (decision: Decision): StorageRequest | undefined =>
  decision.kind === 'respond' ? undefined : decision.request;

/** Expects a request to storage for exactly this key. The proxy refuses no key because of its characters. */
function expectExactly(decision: Decision, key: string): void {
  if (decision.kind === 'respond') throw new Error(decision.answer.body);
  const { rawPath, host } = decision.request;
  expect(host).toBe('hidden-bucket.s3.eu-west-1.amazonaws.com');
  expect(bytesOf(rawPath).equals(Buffer.from(`/${prefix}${key}`, 'utf8'))).toBe(true);
}

/** Returns the keys of a document, with decoded references. */
const keysIn = (document: string) =>
  [...document.matchAll(/<Key>(.*?)<\/Key>/gs)].map(([, name = '']) =>
    name.replace(/&#x([0-9a-f]+);/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );

const choices = fc.array(fc.constantFrom(0, 1, 2), { minLength: 1, maxLength: 5 });
const runs = { numRuns: 400 };

describe('a key', () => {
  const operations: [string, Omit<Asked, 'rawPath'>][] = [
    ['read', {}],
    ['described', { method: 'HEAD' }],
    ['written', { method: 'PUT' }],
    ['deleted', { method: 'DELETE' }],
    ['tagged', { method: 'PUT', rawQuery: 'tagging' }],
    ['uploaded in parts', { method: 'POST', rawQuery: 'uploads' }],
    ['given a part', { method: 'PUT', rawQuery: 'partNumber=1&uploadId=u' }],
    ['asked for its parts', { rawQuery: 'uploadId=u' }],
    ['copied to', { method: 'PUT', headers: { 'x-amz-copy-source': '/tide-institute/raw-drafts/a' } }],
  ];
  test.each(operations)('that is %s stays in its repository', async (_, asked) => {
    await fc.assert(
      fc.asyncProperty(keyText, choices, async (key, spelling) => {
        const request = asClient({ ...asked, rawPath: `/tide-institute/raw-drafts/${spell(key, spelling)}` });
        expectExactly(await decide(request, fixture), key);
      }),
      { numRuns: 100 },
    );
  });

  test('of another repository is never reached', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), choices, async (pieces, spelling) => {
        fc.pre(pieces.join('').isWellFormed());
        const rawPath = `/tide-institute/raw-drafts${spell(`/${pieces.join('')}`, spelling)}ungranted/a`;
        const sent = sentTo(await decide(asClient({ rawPath }), fixture));
        if (sent !== undefined)
          expect(bytesOf(sent.rawPath).toString()).toMatch(/^\/hidden\/tide-institute\/raw-drafts\//);
      }),
      runs,
    );
  });

  test('in a presigned URL is literal', async () => {
    await fc.assert(
      fc.asyncProperty(keyText, async (key) => {
        const options = { ...sessionOptions(), expiresIn: 60 };
        expectExactly(await decide(await signed({ path: `/tide-institute/raw-drafts/${key}` }, options)), key);
      }),
      { numRuns: 60 },
    );
  });

  test('with dot segments is refused in any encoding when the storage has an endpoint', async () => {
    await fc.assert(
      fc.asyncProperty(keyText, choices, async (key, spelling) => {
        const rawPath = `/tide-institute/endpoint/${spell(key, spelling)}`;
        const sent = sentTo(await decide(asClient({ rawPath }), fixture));
        const segments = key.split('/');
        if (segments.includes('..') || segments.includes('.')) expect(sent).toBeUndefined();
        // A URL parser must find no `.` or `..` segment in the path.
        if (sent !== undefined) expect(new URL(`http://x${sent.rawPath}`).pathname).toBe(sent.rawPath);
      }),
      runs,
    );
  });
});

test('a copy source becomes exactly the named key', async () => {
  await fc.assert(
    fc.asyncProperty(keyText, choices, fc.boolean(), async (key, spelling, hasSlash) => {
      const source = `${hasSlash ? '/' : ''}tide-institute/raw-drafts/${spell(key, spelling)}`;
      const headers = { 'x-amz-copy-source': source };
      const asked = asClient({ method: 'PUT', rawPath: '/tide-institute/raw-drafts/to', headers });
      const sent = sentTo(await decide(asked, fixture));
      if (sent === undefined) throw new Error('refused');
      expect(bytesOf(sent.headers['x-amz-copy-source'] ?? '').toString()).toBe(`/hidden-bucket/${prefix}${key}`);
    }),
    runs,
  );
});

test('any upload ID stays the value of one parameter', async () => {
  await fc.assert(
    fc.asyncProperty(keyText, async (uploadId) => {
      const rawQuery = `uploadId=${encodeURIComponent(uploadId)}`;
      for (const method of ['GET', 'POST', 'DELETE']) {
        const asked = asClient({ method, rawPath: '/tide-institute/raw-drafts/a', rawQuery });
        const sent = sentTo(await decide(asked, fixture));
        if (sent === undefined) throw new Error('refused');
        expect(sent.rawPath).toBe(`/${prefix}a`);
        expect(sent.rawQuery).toMatch(/^uploadId=[A-Za-z0-9._~%-]*$/);
        expect(bytesOf(sent.rawQuery.slice('uploadId='.length)).toString()).toBe(uploadId);
      }
    }),
    runs,
  );
});

describe('a list', () => {
  const rawQueryOf = (parameters: Record<string, string>) =>
    Object.entries(parameters)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
  const listed = async (parameters: Record<string, string>) => {
    const asked = asClient({ rawPath: '/tide-institute', rawQuery: rawQueryOf(parameters) });
    const parts = sentTo(await decide(asked, fixture))?.rawQuery.split('&');
    return parts && new Map(parts.map((part) => [part.split('=')[0], bytesOf(part.split('=')[1] ?? '')]));
  };

  type Parameters = (below: string, start: string, uploadId: string) => Record<string, string>;
  const lists: [string, marker: string, Parameters][] = [
    ['version 1', 'marker', (prefix, marker) => ({ prefix, delimiter: '/', marker })],
    ['version 2', 'start-after', (prefix, start) => ({ 'list-type': '2', prefix, 'start-after': start })],
    [
      'uploads',
      'key-marker',
      (prefix, start, id) => ({ uploads: '', prefix, 'key-marker': start, 'upload-id-marker': id }),
    ],
  ];
  test.each(lists)('of %s, with any prefix, after any name, is of the repository', async (_, marker, parametersOf) => {
    await fc.assert(
      fc.asyncProperty(keyText, keyText, keyText, fc.boolean(), async (below, after, uploadId, isIn) => {
        const start = `${isIn ? 'raw-drafts/' : ''}${after}`;
        const sent = await listed(parametersOf(`raw-drafts/${below}`, start, uploadId));
        if (sent === undefined) {
          // No name is left to list after the last name of the repository.
          expect(isIn).toBe(false);
          return;
        }
        expect(sent.get('prefix')?.toString()).toBe(prefix + below);
        const position = sent.get(marker);
        if (position !== undefined) expect(position.toString()).toBe(prefix + start.slice('raw-drafts/'.length));
        if (isIn && marker === 'key-marker') expect(sent.get('upload-id-marker')?.toString()).toBe(uploadId);
      }),
      runs,
    );
  });

  test('accepts only its own tokens', async () => {
    const tokenOf = async (repository: string) => {
      const rawQuery = `list-type=2&prefix=${repository}/`;
      const decision = await decide(asClient({ rawPath: '/tide-institute', rawQuery }));
      if (decision.kind !== 'relay') throw new Error('not relayed');
      const page =
        '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>hidden/t</NextContinuationToken></ListBucketResult>';
      const { body } = decision.rewrite({ status: 200, headers: {}, body: page });
      expect(body).not.toContain('hidden');
      return /<NextContinuationToken>([^<]*)/.exec(body)?.[1] ?? '';
    };
    const own = await tokenOf('raw-drafts');
    const sent = await listed({ 'list-type': '2', prefix: 'raw-drafts/', 'continuation-token': own });
    expect(sent?.get('continuation-token')?.toString()).toBe('hidden/t');
    expect(sent?.get('prefix')?.toString()).toBe(prefix);

    const other = await tokenOf('tide-gauges');
    const ask = (token: string) => {
      const rawQuery = rawQueryOf({ 'list-type': '2', prefix: 'raw-drafts/', 'continuation-token': token });
      return outcome(asClient({ rawPath: '/tide-institute', rawQuery }));
    };
    expect(await ask(other)).toBe('400 InvalidArgument');
    await fc.assert(
      fc.asyncProperty(fc.nat(own.length - 1), fc.constantFrom('A', 'b', '0', '-', '.', ''), async (at, character) => {
        const forged = own.slice(0, at) + character + own.slice(at + 1);
        // The last character of base64 may contain unused bits.
        fc.pre(forged !== own && at < own.length - 1);
        expect(await ask(forged)).toBe('400 InvalidArgument');
      }),
      runs,
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 60 }), fc.constantFrom('', 's-', 's-1.'), async (text, start) => {
        fc.pre(!text.startsWith('k-'));
        expect(await ask(start + text)).toMatch(/^400 InvalidArgument$|^relay$/);
        const asked = { 'list-type': '2', prefix: 'raw-drafts/', 'continuation-token': start + text };
        const parameters = text + start === '' ? undefined : await listed(asked);
        expect(parameters?.get('continuation-token')).toBeUndefined();
      }),
      runs,
    );
  });

  test('shows exactly the names of the repository', async () => {
    const decision = await decide(asClient({ rawPath: '/tide-institute', rawQuery: 'prefix=raw-drafts/' }));
    if (decision.kind !== 'relay') throw new Error('not relayed');
    const beside = ['', 'hidden', prefix.slice(0, -1), prefix.toUpperCase()];
    const others = [...beside, 'hidden/tide-institute/ungranted/a', `/${prefix}a`];
    await fc.assert(
      fc.property(fc.array(keyText, { maxLength: 5 }), fc.subarray(others), (keys, foreign) => {
        const contents = [...foreign, ...keys.map((key) => prefix + key)]
          .map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key></Contents>`)
          .join('');
        const body = `<ListBucketResult><EncodingType>url</EncodingType>${contents}</ListBucketResult>`;
        const shown = decision.rewrite({ status: 200, headers: {}, body }).body;
        expect(keysIn(shown)).toEqual(keys.map((key) => `raw-drafts/${key}`));
      }),
      runs,
    );
  });
});

test('a list of objects to delete names exactly the keys of the repository', async () => {
  const escaped = (text: string) => text.replace(/[&<>\u0000-\u001f]/g, (c) => `&#${c.charCodeAt(0)};`);
  await fc.assert(
    fc.asyncProperty(fc.array(keyText, { minLength: 1, maxLength: 4 }), async (keys) => {
      const objects = keys.map((key) => `<Object><Key>raw-drafts/${escaped(key)}</Key></Object>`).join('');
      const request = { method: 'POST', path: '/tide-institute', query: { delete: '' } };
      const decision = await decide(await signed({ ...request, body: `<Delete>${objects}</Delete>` }), fixture);
      if (decision.kind !== 'relay') throw new Error(JSON.stringify(decision));
      expect(keysIn(Buffer.from(decision.body).toString('utf8'))).toEqual(keys.map((key) => prefix + key));
    }),
    { numRuns: 100 },
  );
});
