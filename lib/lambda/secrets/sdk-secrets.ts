import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { ReadSecretText } from './secrets.ts';

export function readSecretsWith(client: SecretsManagerClient): ReadSecretText {
  return async (secretId) => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    return SecretString ?? '';
  };
}
