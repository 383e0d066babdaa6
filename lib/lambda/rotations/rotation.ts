import type { AwsJsonService } from '../aws/json-service.ts';
import { readSecretText } from '../aws/secrets-manager.ts';

/** The event that Secrets Manager sends for each step of a rotation. */
export interface RotationEvent {
  Step: string;
  SecretId: string;
  ClientRequestToken: string;
}

export interface RotationServices {
  secrets: AwsJsonService;
  /** Returns the next text of the secret. */
  rotate(text: string): string;
  /** Sends the next version to the users of the secret before it is stored. May run again with the same version. */
  announce?(text: string): Promise<void>;
}

/**
 * Creates a rotation function. Secrets Manager has four steps: create a pending version, set it, test it, and make it
 * current. This function does all in the last step, with one write. A new key comes into use a fixed time after its
 * creation, so readers must be able to find it immediately. If an earlier step created the key and the last step failed
 * for an hour, readers would see a key that is already in use.
 */
export function createRotationHandler({ secrets, rotate, announce }: RotationServices) {
  return async ({ Step, SecretId, ClientRequestToken }: RotationEvent): Promise<void> => {
    // Secrets Manager runs this step when a rotation schedule is set.
    if (Step === 'testSecret') rotate(await readSecretText(secrets, SecretId));
    if (Step !== 'finishSecret') return;
    const { VersionIdsToStages } = (await secrets.call('DescribeSecret', { SecretId })) as {
      VersionIdsToStages?: Record<string, string[]>;
    };
    // Lambda may run the same step twice.
    if (VersionIdsToStages?.[ClientRequestToken]?.includes('AWSCURRENT')) return;
    const rotated = rotate(await readSecretText(secrets, SecretId));
    await announce?.(rotated);
    await secrets.call('PutSecretValue', {
      SecretId,
      ClientRequestToken,
      SecretString: rotated,
      // A pending version that is not current would count as a rotation in progress.
      VersionStages: ['AWSCURRENT', 'AWSPENDING'],
    });
  };
}
