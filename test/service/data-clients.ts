import { S3Client } from '@aws-sdk/client-s3';
import { fromWebToken } from '@aws-sdk/credential-providers';
import { seedNames } from '../../lib/local/seed.ts';
import type { LocalService } from '../../lib/local/service.ts';

/** Settings for standard AWS clients with a test service. */

type Addresses = Pick<LocalService, 'dataUrl' | 'identity'>;

/** The proxy accepts any region. AWS has no region with this name. */
export const region = 'anywhere-1';

export function roleArn(role = 'FullAccess', serviceAccountId: string = seedNames.service_account_id): string {
  return `arn:aws:iam::${serviceAccountId}:role/${role}`;
}

export function exchangeConfig({ dataUrl }: Pick<Addresses, 'dataUrl'>) {
  return { endpoint: `${dataUrl}/.sts`, region, maxAttempts: 1 };
}

export type Credentials = Awaited<ReturnType<typeof signIn>>;

/** Exchanges a key or a CI token. Rejects with the error that the SDK reads. */
export function signIn(
  service: Pick<Addresses, 'dataUrl'>,
  webIdentityToken: string,
  options: { role?: string; serviceAccountId?: string; durationSeconds?: number } = {},
) {
  const { role, serviceAccountId, durationSeconds } = options;
  return fromWebToken({
    roleArn: roleArn(role, serviceAccountId),
    roleSessionName: 'slice',
    webIdentityToken,
    clientConfig: exchangeConfig(service),
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
  })();
}

/** Returns the CI token of a run of the trusted workflow, with the given claims. */
export async function ciToken(service: Addresses, claims: Record<string, string> = {}): Promise<string> {
  const { repository, branch } = seedNames.workflow;
  const query = new URLSearchParams({
    audience: service.dataUrl,
    sub: `repo:${repository}:ref:refs/heads/${branch}`,
    ...claims,
  });
  const answer = await fetch(`${service.identity.url}/ci/token?${query}`);
  const { value } = (await answer.json()) as { value: string };
  return value;
}

/**
 * @param clockOffsetSeconds how far the client's clock is ahead of the machine's. The Date header of a response resets
 * the client to the machine's clock. Create a new client for each request to a service with a moved clock.
 */
export function s3Client(
  { dataUrl }: Pick<Addresses, 'dataUrl'>,
  credentials: Credentials | (() => Promise<Credentials>),
  clockOffsetSeconds = 0,
): S3Client {
  return new S3Client({
    endpoint: dataUrl,
    region,
    credentials,
    maxAttempts: 1,
    systemClockOffset: clockOffsetSeconds * 1000,
  });
}
