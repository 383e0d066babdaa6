import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

/** What Secrets Manager invokes a rotation function with, once for each step. */
export interface RotationEvent {
  Step: string;
  SecretId: string;
  ClientRequestToken: string;
}

export interface RotationServices {
  client: SecretsManagerClient;
  /** The text of the secret after a rotation, from that before. */
  rotate(text: string): string;
  /** Tells those who use the secret of the next version before that is stored. May run again with the same version. */
  announce?(text: string): Promise<void>;
}

/**
 * Secrets Manager wants four steps: create a pending version, set it, test it, make it the current one. Here the last
 * does everything in one write. A key of ours is used a fixed time after its creation, which must be told to the readers
 * at once: had an earlier step made it and the last one failed for an hour, readers would meet it already in use.
 */
export function createRotationHandler({ client, rotate, announce }: RotationServices) {
  async function readCurrent(SecretId: string): Promise<string> {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    return SecretString ?? '';
  }

  return async ({ Step, SecretId, ClientRequestToken }: RotationEvent): Promise<void> => {
    // Secrets Manager tries this step when a schedule is set.
    if (Step === 'testSecret') rotate(await readCurrent(SecretId));
    if (Step !== 'finishSecret') return;
    const { VersionIdsToStages } = await client.send(new DescribeSecretCommand({ SecretId }));
    // Lambda may run the same step twice.
    if (VersionIdsToStages?.[ClientRequestToken]?.includes('AWSCURRENT')) return;
    const rotated = rotate(await readCurrent(SecretId));
    await announce?.(rotated);
    await client.send(
      new PutSecretValueCommand({
        SecretId,
        ClientRequestToken,
        SecretString: rotated,
        // A pending version other than the current one would count as a rotation that goes on for ever.
        VersionStages: ['AWSCURRENT', 'AWSPENDING'],
      }),
    );
  };
}
