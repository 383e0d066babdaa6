import type { ReadSecretText } from '../secrets/secrets.ts';
import { createAwsJsonService } from './json-service.ts';
import type { AwsServiceOptions } from './service.ts';

/** Calls GetSecretValue (AWS Secrets Manager API reference). */
export function createSecretReader(options: AwsServiceOptions): ReadSecretText {
  const service = createAwsJsonService({ name: 'secretsmanager', target: 'secretsmanager', version: '1.1' }, options);
  return async (secretId) => {
    const { SecretString } = (await service.call('GetSecretValue', { SecretId: secretId })) as {
      SecretString?: string;
    };
    return SecretString ?? '';
  };
}
