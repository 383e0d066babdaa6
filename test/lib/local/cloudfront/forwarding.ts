import type {
  CloudFrontRequest,
  CloudFrontRequestEvent,
  CloudFrontResponseEvent,
  CloudFrontResultResponse,
} from 'aws-lambda';
import type { OriginRequestFunction, OriginResponseFunction } from '../../../../lib/local/cloudfront/functions.ts';

export function requestIn(event: CloudFrontRequestEvent): CloudFrontRequest {
  const [record] = event.Records;
  if (record === undefined) throw new Error('an event has a record');
  return record.cf.request;
}

export function responseIn(event: CloudFrontResponseEvent): CloudFrontResultResponse {
  const [record] = event.Records;
  if (record === undefined) throw new Error('an event has a record');
  return record.cf.response;
}

/** Returns an edge function that forwards each request to a port of this machine, changed or unchanged. */
export function forwardTo(
  port: number,
  change: (request: CloudFrontRequest) => void = () => {},
): OriginRequestFunction {
  return async (event) => {
    const request = requestIn(event);
    const custom = {
      domainName: '127.0.0.1',
      port,
      protocol: 'http' as const,
      path: '',
      sslProtocols: ['TLSv1.2'],
      readTimeout: 30,
      keepaliveTimeout: 5,
      customHeaders: {},
    };
    const forwarded = { ...request, origin: { custom } };
    change(forwarded);
    return forwarded;
  };
}

export const showUnchanged: OriginResponseFunction = async (event) => responseIn(event);
