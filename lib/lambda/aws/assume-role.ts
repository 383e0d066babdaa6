import { parseXml, type XmlElement, xmlChildren, xmlText } from '../../domain/xml.ts';
import type { AssumeRole } from '../../edge/assumed-roles.ts';
import { AwsError } from './aws-error.ts';
import type { PostAnswer } from './post.ts';
import { type AwsServiceOptions, createAwsService } from './service.ts';

/**
 * Returns a function that calls AssumeRole at the regional endpoint with the query protocol (AWS STS API reference).
 */
export function createAssumeRole(options: AwsServiceOptions): AssumeRole {
  const service = createAwsService('sts', readQueryRefusal, options);
  return async ({ role_arn, external_id, session_name, policy, durationSeconds }) => {
    const form = new URLSearchParams({
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: role_arn,
      ExternalId: external_id,
      RoleSessionName: session_name,
      Policy: policy,
      DurationSeconds: String(durationSeconds),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return readLent(await service.send(headers, form.toString()));
  };
}

function readLent(document: string) {
  const result = firstOf(parseXml(document.trim(), 'AssumeRoleResponse'), 'AssumeRoleResult');
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
