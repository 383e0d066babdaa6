import type {
  CloudFrontCustomOrigin,
  CloudFrontRequest,
  CloudFrontRequestEvent,
  CloudFrontResponseEvent,
} from 'aws-lambda';
import type { HeaderFields } from '../../../lib/domain/data/decision.ts';
import { toCloudFrontHeaders } from '../../../lib/edge/cloudfront-events.ts';

const storageOrigin: CloudFrontCustomOrigin = {
  domainName: 'storage.example',
  port: 9000,
  protocol: 'http',
  path: '/storage-bucket',
  sslProtocols: ['TLSv1.2'],
  readTimeout: 30,
  keepaliveTimeout: 5,
  customHeaders: {},
};

type Changes = Partial<Omit<CloudFrontRequest, 'headers'>> & { headers?: HeaderFields };

export function requestEvent({ headers = {}, ...changes }: Changes = {}): CloudFrontRequestEvent {
  const request: CloudFrontRequest = {
    clientIp: '203.0.113.7',
    method: 'GET',
    uri: '/tide-institute/tide-gauges/a.csv',
    querystring: '',
    headers: toCloudFrontHeaders(headers),
    body: { action: 'read-only', data: '', encoding: 'base64', inputTruncated: false },
    ...changes,
  };
  const config = {
    distributionDomainName: 'd1234.cloudfront.net',
    distributionId: 'E1234',
    eventType: 'origin-request' as const,
    requestId: 'request-1',
  };
  return { Records: [{ cf: { config, request } }] };
}

/** A service for tests of the object function that exchange no credentials. */
export const noExchange = { loadExchange: () => Promise.reject(new Error('nobody asks for the exchange here')) };

/** Builds the response event of a storage for an origin request that a function made from a viewer request. */
export function responseEvent(status: string, headers: HeaderFields, asked: Changes = {}): CloudFrontResponseEvent {
  const [record] = requestEvent({ uri: '/prefix/a.csv', origin: { custom: storageOrigin }, ...asked }).Records;
  if (record === undefined) throw new Error('an event has a record');
  const { config, request } = record.cf;
  const response = { status, statusDescription: '', headers: toCloudFrontHeaders(headers) };
  return { Records: [{ cf: { config: { ...config, eventType: 'origin-response' }, request, response } }] };
}
