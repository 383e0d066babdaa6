import { S3Client } from '@aws-sdk/client-s3';
import { fromWebToken } from '@aws-sdk/credential-providers';

/** A deployed service, and what whoever verifies it may use there. */
export interface Deployment {
  /** Base URL of the management API, without `/api/v1`. */
  apiUrl: string;
  dataUrl: string;
  /** An identity token of a person who manages the account. */
  personToken: string;
  /** An identity token of a CI run whose audience is the data proxy; its sign-in is left out without one. */
  ciToken?: string | undefined;
  /** The account that everything is made in: the person's own, or an organization. */
  accountId: string;
  /** The connection to place repositories on; the first that is good for it without. */
  dataConnectionId?: string | undefined;
  /** An origin of `corsOrigins`, without which what browsers are let do is not tried. */
  origin?: string | undefined;
  /** The API's own URL behind its distribution, which must refuse everybody. */
  apiOriginUrl?: string | undefined;
  /** The size of one upload in a single request, in MiB; none is made without. */
  largeMib?: number | undefined;
  /** Whether to send requests until they are throttled: others behind this IP address are then refused for some minutes too. */
  triesThrottles?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape, and a field that is missing fails its check
  body: any;
}

export type ManagementClient = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Sends requests to the management API, as the person or, without a token, as anyone. */
export function managementClient({ apiUrl }: Pick<Deployment, 'apiUrl'>, token?: string): ManagementClient {
  return async (method, path, body) => {
    const answer = await fetch(`${apiUrl}${path === '/health' ? '' : '/api/v1'}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  };
}

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

const region = 'us-east-1';

/** Exchanges a key or a CI token as the AWS SDK does. Rejects with the refusal as the SDK reads it. */
export function signIn(
  { dataUrl }: Pick<Deployment, 'dataUrl'>,
  webIdentityToken: string,
  serviceAccountId: string,
  role: 'FullAccess' | 'ReadOnly' = 'FullAccess',
): Promise<Credentials> {
  return fromWebToken({
    roleArn: `arn:aws:iam::${serviceAccountId}:role/${role}`,
    roleSessionName: 'verify',
    webIdentityToken,
    clientConfig: { endpoint: `${dataUrl}/.sts`, region, maxAttempts: 1 },
  })();
}

export function s3Client({ dataUrl }: Pick<Deployment, 'dataUrl'>, credentials: Credentials): S3Client {
  return new S3Client({ endpoint: dataUrl, region, credentials, forcePathStyle: true, maxAttempts: 1 });
}
