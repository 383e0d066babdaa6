import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { renderError } from '../../../lib/s3/errors.ts';
import { findStreamedError, shapeResponse } from '../../../lib/s3/response.ts';

const context = { method: 'GET', resource: '/tide-institute/a&b/<c>', requestId: 'request-1' };

function shape({ method = 'GET', ...head }: { method?: string; status: number; headers: Record<string, string> }) {
  const answer = { ...head, request: { method, rawQuery: '', headers: {} } };
  return shapeResponse(answer, findStreamedError(answer), { ...context, method });
}

describe('an answer of storage', () => {
  test.each([
    ['7', '7'],
    ['120', '120'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['', '1'],
    ['-1', '1'],
    ['1000000', '1'],
    ['soon; hidden-bucket', '1'],
  ])('of 503 shows Retry-After %j as %j', (said, told) => {
    const shaped = shape({ method: 'PUT', status: 503, headers: { 'retry-after': said } });
    expect(shaped).toMatchObject({ status: 503, headers: { 'retry-after': told } });
    expect(shaped.body).toContain('<Code>SlowDown</Code>');
  });
});

describe('an error of the service', () => {
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
