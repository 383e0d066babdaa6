import { describe, expect, test } from 'vitest';
import type { BufferedResponse, StorageRequest } from '../../../lib/domain/data/decision.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import {
  answerViewer,
  edgeRequestFrom,
  type FinalDecision,
  originAnswerFrom,
  toCloudFrontHeaders,
  toCloudFrontResult,
} from '../../../lib/edge/cloudfront-events.ts';
import { requestEvent, responseEvent } from './event-builders.ts';

const storage: StorageRequest = {
  method: 'GET',
  protocol: 'https',
  host: 'bucket.s3.eu-west-1.amazonaws.com',
  port: 443,
  rawPath: '/prefix/a%2Fb//../c',
  bucketPath: '',
  rawQuery: 'versionId=1',
  headers: { host: 'bucket.s3.eu-west-1.amazonaws.com', authorization: 'AWS4-HMAC-SHA256 …', range: 'bytes=0-1' },
};

describe('the request in an event', () => {
  test('is not decoded', () => {
    const event = requestEvent({
      method: 'PUT',
      uri: '/a//b/../%2F+',
      querystring: 'x=%20',
      headers: { Host: 'data.example', 'x-amz-meta-a': 'b' },
      body: { action: 'read-only', data: '/wA=', encoding: 'base64', inputTruncated: true },
    });
    expect(edgeRequestFrom(event)).toEqual({
      method: 'PUT',
      rawPath: '/a//b/../%2F+',
      rawQuery: 'x=%20',
      headers: { host: 'data.example', 'x-amz-meta-a': 'b' },
      sourceIp: '203.0.113.7',
      requestId: 'request-1',
      distributionHost: 'd1234.cloudfront.net',
      body: { bytes: Buffer.from([255, 0]), truncated: true },
    });
  });

  test('joins repeated fields, and reads a body that is not base64', () => {
    const event = requestEvent({ body: { action: 'read-only', data: 'é', encoding: 'text', inputTruncated: false } });
    const [record] = event.Records;
    if (record) record.cf.request.headers = { 'x-amz-meta-a': [{ value: 'b' }, { value: 'c' }] };
    const { headers, body } = edgeRequestFrom(event);
    expect([headers, body.bytes]).toEqual([{ 'x-amz-meta-a': 'b,c' }, Buffer.from('é')]);
  });

  test('has the signed Accept-Encoding and Range of the viewer, without their copies', () => {
    const headers = {
      'accept-encoding': 'gzip',
      'x-sluice-viewer-accept-encoding': 'identity',
      'x-sluice-viewer-range': 'bytes=-5',
    };
    const request = edgeRequestFrom(requestEvent({ headers }));
    expect(request.headers).toEqual({ 'accept-encoding': 'identity', range: 'bytes=-5' });
  });
});

describe('a request that is forwarded', () => {
  const headers = {
    host: 'data.example',
    authorization: 'the viewer’s',
    cookie: 'session=1',
    'x-amz-security-token': 'the viewer’s',
    'x-sluice-viewer-range': 'bytes=0-1',
    'accept-encoding': 'identity',
    'if-none-match': '"a"',
    via: '2.0 viewer',
    'cdn-loop': 'another-cdn',
  };

  test('has only the decided headers and the read-only headers', async () => {
    const event = requestEvent({ headers });
    const result = toCloudFrontResult({ kind: 'forward', request: storage }, event);
    const readOnly = {
      'accept-encoding': 'identity',
      'if-none-match': '"a"',
      via: '2.0 viewer',
      'cdn-loop': 'another-cdn',
    };
    expect(result).toEqual({
      ...event.Records[0]?.cf.request,
      uri: '/prefix/a%2Fb//../c',
      querystring: 'versionId=1',
      headers: toCloudFrontHeaders({ ...readOnly, ...storage.headers }),
      origin: {
        custom: {
          domainName: storage.host,
          port: 443,
          protocol: 'https',
          path: '',
          sslProtocols: ['TLSv1.2'],
          readTimeout: 30,
          keepaliveTimeout: 5,
          customHeaders: {},
        },
      },
    });
  });

  test('cannot change a read-only header or add one that CloudFront forbids', async () => {
    const decided = { ...storage.headers, 'If-None-Match': '"other"', expect: '100-continue', 'x-amz-cf-id': 'x' };
    const decision: FinalDecision = { kind: 'forward', request: { ...storage, headers: decided } };
    const result = toCloudFrontResult(decision, requestEvent({ headers }));
    expect(result.headers?.['if-none-match']).toEqual([{ key: 'if-none-match', value: '"a"' }]);
    for (const name of ['expect', 'x-amz-cf-id']) expect(result.headers).not.toHaveProperty(name);
  });

  test('has the same method', async () => {
    const decision: FinalDecision = { kind: 'forward', request: { ...storage, method: 'PUT' } };
    expect(() => toCloudFrontResult(decision, requestEvent())).toThrow('own method');
  });
});

describe('an answer that is generated', () => {
  const answer: BufferedResponse = {
    status: 403,
    headers: { 'Content-Type': 'application/xml', 'content-length': '7', connection: 'close', 'x-amz-cf-id': 'x' },
    body: '<Error>',
  };

  test('has the form of CloudFront and no forbidden header', async () => {
    expect(toCloudFrontResult({ kind: 'respond', answer }, requestEvent())).toEqual({
      status: '403',
      statusDescription: 'Forbidden',
      headers: { 'content-type': [{ key: 'Content-Type', value: 'application/xml' }] },
      body: '<Error>',
      bodyEncoding: 'text',
    });
  });

  test.each(['X-Amzn-RequestId', 'x-amzn-errortype', 'x-amzn-cf-id', 'X-Edge-Location', 'proxy-authenticate'])(
    'omits %s, for which CloudFront would answer 502',
    (name) => {
      const decision: FinalDecision = { kind: 'respond', answer: { ...answer, headers: { [name]: 'x', etag: '"a"' } } };
      const result = toCloudFrontResult(decision, requestEvent());
      expect(Object.keys(result.headers ?? {})).toEqual(['etag']);
    },
  );

  test('has no body for HEAD', async () => {
    const result = toCloudFrontResult({ kind: 'respond', answer }, requestEvent({ method: 'HEAD' }));
    expect(result).not.toHaveProperty('body');
  });

  test('has at most 1 MB with its headers', async () => {
    const body = 'é'.repeat((1024 * 1024 - 4) / 2);
    const fits: FinalDecision = { kind: 'respond', answer: { status: 200, headers: { etag: '' }, body } };
    expect(toCloudFrontResult(fits, requestEvent())).toMatchObject({ status: '200' });
    const over: FinalDecision = { kind: 'respond', answer: { status: 200, headers: { etag: '1' }, body } };
    expect(() => toCloudFrontResult(over, requestEvent())).toThrow(ServiceError);
  });
});

describe('an answer of the storage on its way back', () => {
  const event = responseEvent('404', { via: '1.1 storage', 'transfer-encoding': 'chunked', 'x-amz-request-id': 'R' });

  test('comes with the signed request to storage', () => {
    expect(originAnswerFrom(event)).toEqual({
      request: {
        method: 'GET',
        protocol: 'http',
        host: 'storage.example',
        port: 9000,
        bucketPath: '/storage-bucket',
        rawPath: '/storage-bucket/prefix/a.csv',
        rawQuery: '',
        headers: { 'x-amz-cf-id': 'request-1' },
      },
      status: 404,
      headers: { via: '1.1 storage', 'transfer-encoding': 'chunked', 'x-amz-request-id': 'R' },
      requestId: 'request-1',
    });
  });

  test("comes from an origin with the bucket's path when the bucket is part of the path", () => {
    const inPath = { ...storage, bucketPath: '/base/bucket', rawPath: '/base/bucket/prefix/a' };
    const forwarded = toCloudFrontResult({ kind: 'forward', request: inPath }, requestEvent());
    expect(forwarded).toMatchObject({ uri: '/prefix/a', origin: { custom: { path: '/base/bucket' } } });
  });

  test('has the decided headers and the unchanged read-only headers', () => {
    const shown = answerViewer(event, {
      status: 404,
      headers: { 'content-type': 'application/xml', via: 'changed', 'x-cache': 'x' },
      body: '<Error/>',
    });
    expect(shown).toEqual({
      status: '404',
      statusDescription: 'Not Found',
      headers: toCloudFrontHeaders({
        via: '1.1 storage',
        'transfer-encoding': 'chunked',
        'content-type': 'application/xml',
      }),
      body: '<Error/>',
      bodyEncoding: 'text',
    });
  });

  test('has its original body when the function returns none', () => {
    expect(answerViewer(event, { status: 404, headers: {} })).not.toHaveProperty('body');
  });
});
