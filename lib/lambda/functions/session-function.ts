import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createApiHandler } from '../../http/api-handler.ts';
import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { createDeployedServices } from '../deployed-services.ts';
import { readEnvironment } from '../environment.ts';
import { readSecretsWith } from '../secrets/sdk-secrets.ts';
import { createSecretSource } from '../secrets/secrets.ts';
import type { SealingServices } from '../services.ts';
import { lazyFunction } from './lazy-function.ts';

type SealingOperation = Operation & { sealsSessions: true };

/**
 * Creates the Lambda of an operation that issues temporary credentials. No other Lambda of the API can read the secret
 * that encrypts session tokens.
 */
export function sessionFunction<Op extends SealingOperation>(operation: Op, run: Run<Op, SealingServices>) {
  return lazyFunction((services: SealingServices) => createApiHandler(operation, run, services), createServices);
}

async function createServices(): Promise<SealingServices> {
  const secretArn = readEnvironment().SLUICE_SESSION_KEY_SECRET_ARN;
  if (secretArn === undefined) throw new Error('SLUICE_SESSION_KEY_SECRET_ARN is not set for the function that seals');
  return {
    ...(await createDeployedServices()),
    sessionKeys: createSecretSource(readSecretsWith(new SecretsManagerClient()), secretArn, Date.now),
  };
}
