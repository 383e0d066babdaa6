import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { AwsClient } from 'aws4fetch';

/** An error response of AWS. `name` contains the error code of AWS. */
export class AwsRefusal extends Error {
  constructor(code: string, message: string) {
    super(message);
    this.name = code;
  }
}

interface AwsRequest {
  /** The name of the AWS service, as it appears in the endpoint and in the signature. */
  service: string;
  region: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** A client that reads from an AWS account. */
export interface Aws {
  /** Calls an operation with the AWS JSON protocol, such as `AmazonSSM.GetParameter`. */
  json(service: string, region: string, operation: string, input: object): Promise<unknown>;
  /** Calls an operation with the AWS query protocol. Returns XML. */
  query(service: string, region: string, version: string, parameters: Record<string, string>): Promise<string>;
  /** Sends a request with a path to a REST service of AWS. Returns the response body. */
  rest(request: Omit<AwsRequest, 'headers'> & { headers?: Record<string, string> }): Promise<string>;
}

/** Services of AWS that have the same endpoint for all regions. */
const globalHosts: Readonly<Record<string, string>> = {
  cloudfront: 'cloudfront.amazonaws.com',
  iam: 'iam.amazonaws.com',
};

/**
 * Creates a client with the credentials that the AWS CLI would use. As in the AWS CLI, `AWS_ENDPOINT_URL` replaces all
 * endpoints. The client retries throttled requests and server errors. Without credentials, every call rejects.
 */
export function connectToAws(environment: NodeJS.ProcessEnv): Aws {
  let connected: Promise<AwsClient> | undefined;
  const connect = async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = await fromNodeProviderChain()();
    const session = sessionToken === undefined ? {} : { sessionToken };
    return new AwsClient({ accessKeyId, secretAccessKey, ...session, retries: 5 });
  };
  const { AWS_ENDPOINT_URL: endpoint } = environment;
  const send = async ({ service, region, method, path, headers, body }: AwsRequest) => {
    const base = endpoint ?? `https://${globalHosts[service] ?? `${service}.${region}.amazonaws.com`}`;
    connected ??= connect();
    const client = await connected;
    const response = await client.fetch(`${base.replace(/\/$/, '')}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      aws: { service, region },
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (!response.ok) throw refusalOf(text, response);
    return text;
  };
  return {
    async json(service, region, operation, input) {
      const version = ['dynamodb', 'sqs'].includes(service) ? '1.0' : '1.1';
      const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': operation };
      return JSON.parse(
        await send({ service, region, method: 'POST', path: '/', headers, body: JSON.stringify(input) }),
      );
    },
    query: (service, region, version, parameters) =>
      send({
        ...{ service, region, method: 'POST', path: '/' },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...parameters, Version: version }).toString(),
      }),
    rest: ({ headers = {}, ...request }) => send({ ...request, headers }),
  };
}

/** Reads the error code in a JSON or XML response of AWS. */
function refusalOf(text: string, { status, headers }: Response): AwsRefusal {
  const type = headers.get('x-amzn-errortype') ?? /"__type"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? firstIn(text, 'Code');
  const code = (type ?? `status ${status}`).split('#').at(-1)?.split(':')[0];
  const message = /"[Mm]essage"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? firstIn(text, 'Message');
  return new AwsRefusal(code ?? '', message ?? `The answer has the status ${status}.`);
}

/** Returns the text of the first element with this name in an XML document. */
export function firstIn(xml: string, element: string): string | undefined {
  const [, after] = xml.split(`<${element}>`, 2);
  return after?.split('<', 1)[0];
}
