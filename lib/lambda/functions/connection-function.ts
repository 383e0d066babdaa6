import { KMSClient } from '@aws-sdk/client-kms';
import { createApiHandler } from '../../http/api-handler.ts';
import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { resolveHost } from '../../s3/connection-test/probe.ts';
import { createDeployedServices } from '../deployed-services.ts';
import { readEnvironment } from '../environment.ts';
import { createKmsConnectionSecrets } from '../secrets/kms-connection-secrets.ts';
import type { ConnectionServices } from '../services.ts';
import { lazyFunction } from './lazy-function.ts';

type ConnectionOperation = Operation & { connectionSecrets: NonNullable<Operation['connectionSecrets']> };

/**
 * Creates the Lambda of an operation that encrypts or decrypts credentials of data connections. Only its bundle
 * contains the KMS client.
 */
export function connectionFunction<Op extends ConnectionOperation>(operation: Op, run: Run<Op, ConnectionServices>) {
  return lazyFunction((services: ConnectionServices) => createApiHandler(operation, run, services), createServices);
}

async function createServices(): Promise<ConnectionServices> {
  const keyArn = readEnvironment().SLUICE_CONNECTION_KEY_ARN;
  return {
    ...(await createDeployedServices()),
    resolveHost,
    connectionSecrets: createKmsConnectionSecrets(new KMSClient(), keyArn),
  };
}
