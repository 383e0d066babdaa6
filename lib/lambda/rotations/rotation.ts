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
  /** Returns the new content of the secret. */
  rotate(text: string): string;
  /** Passes the new content to the users of the secret before it is stored. May run again with the same content. */
  announce?(text: string): Promise<void>;
}

/**
 * Creates a rotation function. Secrets Manager calls it for four steps: create a pending version, set it, test it, and
 * make it current. The function does all its work in the last step, with one write.
 *
 * A new key comes into use a fixed time after its creation, so readers must be able to find it immediately. If an
 * earlier step created the key, and the last step failed for an hour, the key would already be in use when readers
 * first see it.
 */
export function createRotationHandler({ secrets, rotate, announce }: RotationServices) {
  return async ({ Step, SecretId, ClientRequestToken }: RotationEvent): Promise<void> => {
    // Check the content, because Secrets Manager runs this step as well when someone sets a rotation schedule.
    if (Step === 'testSecret') rotate(await readSecretText(secrets, SecretId));
    if (Step !== 'finishSecret') return;
    const { VersionIdsToStages } = (await secrets.call('DescribeSecret', { SecretId })) as {
      VersionIdsToStages?: Record<string, string[]>;
    };
    // Do nothing if the step has run before, because Lambda may run it twice.
    if (VersionIdsToStages?.[ClientRequestToken]?.includes('AWSCURRENT')) return;
    const rotated = rotate(await readSecretText(secrets, SecretId));
    await announce?.(rotated);
    await secrets.call('PutSecretValue', {
      SecretId,
      ClientRequestToken,
      SecretString: rotated,
      // Move both labels. A pending version that is not current would count as a rotation in progress.
      VersionStages: ['AWSCURRENT', 'AWSPENDING'],
    });
  };
}
