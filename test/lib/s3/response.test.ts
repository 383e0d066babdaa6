import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { renderError } from '../../../lib/s3/errors.ts';
import { findStreamedError, shapeResponse } from '../../../lib/s3/response.ts';

const context = { method: 'GET', resource: '/tide-institute/a&b/<c>', requestId: 'request-1' };

function shape({ method = 'GET', ...head }: { method?: string; status: number; headers: Record<string, string> }) {
  const answer = { ...head, request: { method, rawQuery: '', headers: {} } };
  return shapeResponse(answer, findStreamedError(answer), { ...context, method });
}

const hidden = {
  server: 'AmazonS3',
  location: 'https://hidden-bucket.s3.eu-west-1.amazonaws.com/',
  'x-amz-id-2': 'x',
  'x-amz-bucket-region': 'eu-west-1',
  'x-amz-expiration': 'rule-id="hidden"',
  'x-amz-server-side-encryption-aws-kms-key-id': 'arn:aws:kms:hidden',
  'x-amz-website-redirect-location': '/x',
  'set-cookie': 'a=b',
  'access-control-allow-origin': '*',
};

describe('an answer of storage', () => {
  test('keeps what describes the object and nothing that names the storage', () => {
    const kept = {
      'content-type': 'text/csv',
      'content-length': '10',
      'content-range': 'bytes 0-9/100',
      'content-encoding': 'gzip',
      'content-disposition': 'attachment',
      'cache-control': 'max-age=60',
      'accept-ranges': 'bytes',
      etag: '"e"',
      expires: 'Wed, 21 Oct 2026 07:28:00 GMT',
      'last-modified': 'Wed, 21 Oct 2025 07:28:00 GMT',
      'x-amz-meta-station': 'Cuxhaven',
      'x-amz-checksum-crc32': 'x',
      'x-amz-storage-class': 'STANDARD_IA',
      'x-amz-tagging-count': '2',
      'x-amz-mp-parts-count': '3',
      'x-amz-server-side-encryption': 'AES256',
      'x-amz-version-id': 'v',
    };
    for (const status of [200, 206, 304]) {
      const shaped = shape({ status, headers: { ...kept, ...hidden, 'x-amz-request-id': 'theirs' } });
      expect(shaped).toEqual({ status, headers: { ...kept, 'x-amz-request-id': 'request-1' } });
    }
  });

  test.each([
    ['7', '7'],
    ['120', '120'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['', '1'],
    ['-1', '1'],
    ['1000000', '1'],
    ['soon; hidden-bucket', '1'],
  ])('that asks to slow down says when to come again: %j is told as %j', (said, told) => {
    const shaped = shape({ method: 'PUT', status: 503, headers: { 'retry-after': said } });
    expect(shaped).toMatchObject({ status: 503, headers: { 'retry-after': told } });
    expect(shaped.body).toContain('<Code>SlowDown</Code>');
  });
});

describe('an error of ours', () => {
  test('is S3 XML, escaped, with the request id', () => {
    expect(renderError(new ServiceError('access_denied', 'No <b>.'), context)).toEqual({
      status: 403,
      headers: { 'content-type': 'application/xml', 'x-amz-request-id': 'request-1' },
      body:
        '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>No &#x3c;b&#x3e;.</Message>' +
        '<Resource>/tide-institute/a&#x26;b/&#x3c;c&#x3e;</Resource><RequestId>request-1</RequestId></Error>',
    });
  });
});
