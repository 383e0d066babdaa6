import { S3Client } from '@aws-sdk/client-s3';
import { fromWebToken } from '@aws-sdk/credential-providers';

/** A deployed service, with the settings for its verification. */
export interface Deployment {
  /** The base URL of the management API, without `/api/v1`. */
  apiUrl: string;
  dataUrl: string;
  /** The identity token of a user who manages the account `accountId`. */
  userToken: string;
  /** The identity token of a CI run. Its audience is the data proxy. If absent, the check of CI sign-ins is skipped. */
  ciToken?: string | undefined;
  /** The account in which the verification creates all resources: the user's own account or an organization. */
  accountId: string;
  /** The data connection for the repositories that the verification creates. The default is the first suitable one. */
  dataConnectionId?: string | undefined;
  /** One of the origins in the setting `corsOrigins`. If absent, the CORS checks are skipped. */
  origin?: string | undefined;
  /** The URL of the API behind its distribution. The API must refuse every request to this URL. */
  apiOriginUrl?: string | undefined;
  /** The size in MiB of an upload in a single request. If absent, this upload is skipped. */
  largeMib?: number | undefined;
  /**
   * True to send requests until the service throttles them. For some minutes, the service then refuses other clients
   * with the same IP address, too.
   */
  triesThrottles?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape, and a field that is missing fails its check
  body: any;
}

export type ManagementClient = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Creates a client of the management API. It acts for the user of the token, or is anonymous without a token. */
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

/** Exchanges a key or a CI token for credentials, as the AWS SDK does. Rejects with the error that the SDK reports. */
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
