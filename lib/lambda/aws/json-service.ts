import { AwsError } from './aws-error.ts';
import type { PostAnswer, PostClient } from './post.ts';
import { type AwsServiceOptions, createAwsService } from './service.ts';

interface JsonProtocol {
  /** The name of the service in the endpoint's host and in the signature. */
  name: string;
  /** The prefix of the header `x-amz-target`. */
  target: string;
  version: '1.0' | '1.1';
}

export interface AwsJsonService {
  /** Calls an operation. Returns the parsed response without validation. Throws the errors of `AwsService`. */
  call(operation: string, input: object, signal?: AbortSignal): Promise<unknown>;
  close(): void;
}

/** Creates a client for a service with the AWS JSON protocol (Smithy, "AWS JSON 1.0 protocol" and "1.1"). */
export function createAwsJsonService(
  { name, target, version }: JsonProtocol,
  options: AwsServiceOptions,
  client?: PostClient,
): AwsJsonService {
  const service = createAwsService(name, readJsonRefusal, options, client);
  const contentType = `application/x-amz-json-${version}`;
  return {
    async call(operation, input, signal) {
      const headers = { 'content-type': contentType, 'x-amz-target': `${target}.${operation}` };
      return JSON.parse(await service.send(headers, JSON.stringify(input), signal));
    },
    close: () => service.close(),
  };
}

/** Converts an error response of an AWS service. Its body may not be JSON, because a proxy on the way can create it. */
function readJsonRefusal({ status, headers, body }: PostAnswer): AwsError {
  const { __type, message, Message, CancellationReasons } = parseObject(body);
  // Take the name from a type such as `com.amazonaws.dynamodb.v20120810#ResourceNotFoundException`. In the header, a
  // URL may follow the type.
  const type = String(headers['x-amzn-errortype'] ?? __type ?? '');
  const name = (type.split('#').at(-1) ?? '').split(':')[0] || 'UnknownError';
  return new AwsError(name, String(message ?? Message ?? `status ${status}`), {
    status,
    requestId: headers['x-amzn-requestid']?.toString(),
    reasons: Array.isArray(CancellationReasons) ? CancellationReasons : undefined,
  });
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
