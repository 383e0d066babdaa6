import { type AwsJsonService, createAwsJsonService } from './json-service.ts';
import type { AwsServiceOptions } from './service.ts';

/** Reads a secret from Secrets Manager by its name or ARN. Rejects with the cause if the read fails. */
export type ReadSecretText = (secretId: string) => Promise<string>;

export function createSecretsManager(options: AwsServiceOptions): AwsJsonService {
  return createAwsJsonService({ name: 'secretsmanager', target: 'secretsmanager', version: '1.1' }, options);
}

/** Calls GetSecretValue (AWS Secrets Manager API reference). */
export async function readSecretText(service: AwsJsonService, SecretId: string): Promise<string> {
  const { SecretString } = (await service.call('GetSecretValue', { SecretId })) as { SecretString?: string };
  return SecretString ?? '';
}

export function createSecretReader(options: AwsServiceOptions): ReadSecretText {
  const service = createSecretsManager(options);
  return (secretId) => readSecretText(service, secretId);
}
