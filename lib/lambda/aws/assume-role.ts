import { partitionOf } from '../../domain/data/aws-partitions.ts';
import { isAwsRegion } from '../../domain/data/data-connections.ts';
import type { AssumeRole } from '../../domain/data/role-requests.ts';
import { createStorageToken, type StorageIssuer } from '../../domain/data/web-identity.ts';
import type { Clock } from '../../domain/time.ts';
import { parseXml, type XmlElement, xmlChildren, xmlText } from '../../domain/xml.ts';
import type { SigningCredentials } from '../../sigv4/sign.ts';
import { systemRandom } from '../random.ts';
import { AwsError } from './aws-error.ts';
import type { PostAnswer } from './post.ts';
import { type AwsService, type AwsServiceOptions, createAwsService } from './service.ts';

/** Creates a token of the service's own issuer for AWS STS. */
export type IssueStorageToken = (subject: string) => Promise<string>;

/** Returns a function that creates tokens for AWS STS. Returns undefined if the deployment has no issuer. */
export function issueStorageTokens(
  storageIssuer: StorageIssuer | undefined,
  clock: Clock,
): IssueStorageToken | undefined {
  if (storageIssuer === undefined) return undefined;
  return (subject) => createStorageToken(storageIssuer, subject, { now: clock(), id: systemRandom.uuid() });
}

/**
 * Calls AssumeRole or AssumeRoleWithWebIdentity on a regional endpoint with the query protocol (AWS STS API reference).
 * A token is sent only to the STS of the connection's region. Without `issueToken`, the function cannot assume roles
 * with a token.
 */
export function createAssumeRole(options: AwsServiceOptions, issueToken?: IssueStorageToken): AssumeRole {
  const signed = createAwsService('sts', readQueryRefusal, options);
  const unsignedIn = (region: string) => {
    // Without this check, the name of a region could send the tokens to a host that an account chose.
    if (!isAwsRegion(region)) throw new Error(`${region} is no region of AWS`);
    const endpoint = options.endpoint ?? `https://sts.${region}.${partitionOf(region).suffixes[0]}`;
    return createAwsService('sts', readQueryRefusal, { ...options, region, endpoint, isUnsigned: true });
  };
  return async ({ role_arn, by, session_name, policy, durationSeconds }) => {
    const shared = {
      Version: '2011-06-15',
      RoleArn: role_arn,
      RoleSessionName: session_name,
      Policy: policy,
      DurationSeconds: String(durationSeconds),
    };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = async (service: AwsService, action: string, form: Record<string, string>) => {
      const body = new URLSearchParams({ Action: action, ...shared, ...form }).toString();
      return readLent(await service.send(headers, body), action);
    };
    if ('external_id' in by) return send(signed, 'AssumeRole', { ExternalId: by.external_id });
    if (issueToken === undefined) throw new Error('this deployment has no issuer for storage');
    const service = unsignedIn(by.region);
    try {
      return await send(service, 'AssumeRoleWithWebIdentity', { WebIdentityToken: await issueToken(by.subject) });
    } finally {
      service.close();
    }
  };
}

/**
 * Assumes roles that trust another role of this deployment. Each call first assumes that role with a session policy
 * that allows nothing but assuming roles. Calls with a token do not need that role.
 */
export function assumeRolesAs(
  principalArn: string,
  options: AwsServiceOptions,
  issueToken?: IssueStorageToken,
): AssumeRole {
  let session: SigningCredentials | undefined;
  const credentials = () => {
    if (session === undefined) throw new Error('the role of the principal was not assumed');
    return session;
  };
  const assumePrincipal = createAssumeRole(options);
  const assumeRole = createAssumeRole({ ...options, credentials }, issueToken);
  const allowed = { Effect: 'Allow', Action: 'sts:AssumeRole', Resource: '*' };
  return async (request) => {
    if ('external_id' in request.by) {
      session = await assumePrincipal({
        role_arn: principalArn,
        by: { external_id: 'run-repository-jobs' },
        session_name: 'run-repository-jobs',
        policy: JSON.stringify({ Version: '2012-10-17', Statement: [allowed] }),
        durationSeconds: 900,
      });
    }
    return assumeRole(request);
  };
}

function readLent(document: string, action: string) {
  const result = firstOf(parseXml(document.trim(), `${action}Response`), `${action}Result`);
  const credentials = result && firstOf(result, 'Credentials');
  const [access_key_id, secret_access_key, session_token, expiration] = [
    'AccessKeyId',
    'SecretAccessKey',
    'SessionToken',
    'Expiration',
  ].map((name) => credentials && xmlText(credentials, name));
  const expires_at = Date.parse(expiration ?? '');
  if (!access_key_id || !secret_access_key || !session_token || Number.isNaN(expires_at)) {
    throw new Error('STS answered without credentials');
  }
  return { access_key_id, secret_access_key, session_token, expires_at };
}

function readQueryRefusal({ status, headers, body }: PostAnswer): AwsError {
  const requestId = headers['x-amzn-requestid']?.toString();
  try {
    const error = firstOf(parseXml(body.trim(), 'ErrorResponse'), 'Error');
    const [name, message] = ['Code', 'Message'].map((of) => error && xmlText(error, of));
    return new AwsError(name || 'UnknownError', message ?? '', { status, requestId });
  } catch {
    return new AwsError('UnknownError', `status ${status}`, { status, requestId });
  }
}

function firstOf(element: XmlElement, name: string): XmlElement | undefined {
  return xmlChildren(element, name)[0];
}
