import { describe, expect, test } from 'vitest';
import { findIgnoredEncryption, findStreamedError, shapeResponse } from '../../../lib/s3/response.ts';
import { relayed, signed } from './data-fixture.ts';

const start = 'x-amz-server-side-encryption';
const customer = {
  [`${start}-customer-algorithm`]: 'AES256',
  [`${start}-customer-key`]: 'a2V5',
  [`${start}-customer-key-md5`]: 'bWQ1',
};
const { [`${start}-customer-key`]: _key, ...customerConfirmed } = customer;
const id = '1234abcd-12ab-34cd-56ef-1234567890ab';
const arn = `arn:aws:kms:eu-west-1:111122223333:key/${id}`;
const kms = { [start]: 'aws:kms' };
const kmsConfirmed = { [start]: 'aws:kms', [`${start}-aws-kms-key-id`]: arn };
const withKey = (key: string) => ({ ...kms, [`${start}-aws-kms-key-id`]: key });

type Headers = Record<string, string>;
type Shown = string | undefined;
const otherCustomer = { ...customerConfirmed, [`${start}-customer-key-md5`]: 'b3RoZXI=' };
const aliasArn = 'arn:aws:kms:eu-west-1:1:alias/data';
const rows: [asked: string, Headers, answered: string, Headers, written: Shown, read: Shown][] = [
  ['nothing', {}, 'nothing', {}, undefined, undefined],
  ['nothing', {}, 'a key of storage', kmsConfirmed, undefined, undefined],
  ["storage's own key", { [start]: 'AES256' }, 'nothing', {}, undefined, undefined],
  ["storage's own key", { [start]: 'AES256' }, 'the same', { [start]: 'AES256' }, undefined, undefined],
  ["a customer's key", customer, 'the same', customerConfirmed, undefined, undefined],
  ["a customer's key", customer, 'nothing', {}, 'notEncrypted', 'notEncryptedByKey'],
  ["a customer's key", customer, "storage's own key", { [start]: 'AES256' }, 'notEncrypted', 'notEncryptedByKey'],
  ["a customer's key", customer, 'another key', otherCustomer, 'notEncrypted', 'notEncryptedByKey'],
  ['a key of KMS', kms, 'a key of KMS', kmsConfirmed, undefined, undefined],
  ['a key of KMS', kms, 'nothing', {}, 'notEncrypted', undefined],
  ['a key of KMS', kms, "storage's own key", { [start]: 'AES256' }, 'notEncrypted', undefined],
  ['two layers of KMS', { [start]: 'aws:kms:dsse' }, 'one layer', kmsConfirmed, 'notEncrypted', undefined],
  ['a key by its ARN', withKey(arn), 'that key', kmsConfirmed, undefined, undefined],
  ['a key by its id', withKey(id), 'that key', kmsConfirmed, undefined, undefined],
  ['a key by an alias', withKey('alias/data'), 'some key', kmsConfirmed, undefined, undefined],
  ['a key by the ARN of an alias', withKey(aliasArn), 'some key', kmsConfirmed, undefined, undefined],
  ['a key by an alias', withKey('alias/data'), 'no key', kms, 'notEncrypted', undefined],
  ['a key', withKey(id.replace('1234', '9999')), 'another key', kmsConfirmed, 'notEncrypted', undefined],
  ['the end of an id', withKey('34cd-56ef-1234567890ab'), 'another key', kmsConfirmed, 'notEncrypted', undefined],
];

test.each(rows)(
  'for the request "%s" with %j and the answer "%s" with %j, a write is %s and a read %s',
  (_, asked, __, answered, written, read) => {
    for (const method of ['PUT', 'POST'])
      expect(findIgnoredEncryption({ method, rawQuery: '', headers: asked }, answered)).toBe(written);
    for (const method of ['GET', 'HEAD'])
      expect(findIgnoredEncryption({ method, rawQuery: '', headers: asked }, answered)).toBe(read);
  },
);

describe('an answer that streams', () => {
  const shape = (method: string, status: number, asked: Headers, headers: Headers) => {
    const answer = { status, headers, request: { method, rawQuery: '', headers: asked } };
    return shapeResponse(answer, findStreamedError(answer), { method, resource: '', requestId: 'request-1' });
  };

  test('to an upload is 501 with a next step when storage did not confirm the encryption', () => {
    const shaped = shape('PUT', 200, customer, { etag: '"e"' });
    expect(shaped).toMatchObject({ status: 501, body: expect.stringContaining('<Code>NotImplemented</Code>') });
    expect(shaped.body).toMatch(/delete it, or write it again without requesting encryption/);
    expect(shaped.headers).not.toHaveProperty('etag');
  });

  test.each([200, 206])('of %i becomes 400 when the read sends a key that does not match the object', (status) => {
    const shaped = shape('GET', status, customer, { etag: '"e"', 'content-length': '10' });
    expect(shaped).toMatchObject({ status: 400, body: expect.stringContaining('<Code>InvalidRequest</Code>') });
  });

  test('of 304 needs no confirmation of the encryption', () => {
    expect(shape('GET', 304, customer, { etag: '"e"' })).toMatchObject({ status: 304 });
  });

  test("that confirms the encryption is shown without the key's ID", () => {
    const { status, headers } = shape('PUT', 200, withKey('alias/data'), { etag: '"e"', ...kmsConfirmed });
    expect([status, headers]).toEqual([200, { etag: '"e"', [start]: 'aws:kms', 'x-amz-request-id': 'request-1' }]);
  });
});

describe('a buffered answer', () => {
  const path = '/tide-institute/raw-drafts/a';
  const source = { 'x-amz-copy-source': path };
  const part = { partNumber: '1', uploadId: 'u' };
  test.each([
    ['beginning an upload', 'POST', { uploads: '' }, {}, 'InitiateMultipartUploadResult'],
    ['copying', 'PUT', {}, source, 'CopyObjectResult'],
    ['copying a part', 'PUT', part, source, 'CopyPartResult'],
  ])('to %s is 501 when storage does not confirm the encryption', async (_, method, query, headers, rootName) => {
    const { rewrite } = await relayed(await signed({ method, path, query, headers: { ...headers, ...customer } }));
    const body = `<${rootName}><UploadId>u</UploadId></${rootName}>`;
    const refused = rewrite({ status: 200, headers: {}, body });
    expect([refused.status, refused.body]).toEqual([501, expect.stringContaining('<Code>NotImplemented</Code>')]);
    expect(rewrite({ status: 200, headers: customerConfirmed, body }).status).toBe(200);
  });

  test('to completing or listing an upload needs no confirmation', async () => {
    const query = { uploadId: 'u' };
    const list = await relayed(await signed({ path, query, headers: customer }));
    expect(list.rewrite({ status: 200, headers: {}, body: '<ListPartsResult/>' }).status).toBe(200);
    const complete = await relayed(await signed({ method: 'POST', path, query, headers: customer }));
    expect(complete.rewrite({ status: 200, headers: {}, body: '<CompleteMultipartUploadResult/>' }).status).toBe(200);
  });
});
