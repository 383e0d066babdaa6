import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { Rotation } from './rotation.ts';

interface RotationStackProps extends StackProps {
  data: DataStack;
  bundles: FunctionBundles;
}

/**
 * The schedules and functions that rotate the secrets of the home region. The stack is separate, so that a code change
 * does not affect the secrets.
 */
export class RotationStack extends Stack {
  constructor(scope: Construct, id: string, config: Config, { data, bundles, ...props }: RotationStackProps) {
    super(scope, id, props);
    new Rotation(this, 'rotate-session-keys', {
      config,
      bundles,
      secret: data.sessionKeys,
      description: 'Adds a session key and drops those that no live session needs',
      everyDays: 30,
    });
    new Rotation(this, 'rotate-api-key-master', {
      config,
      bundles,
      secret: data.apiKeyMasterSecret,
      description: 'Adds a version of the secret that API keys are derived from',
      everyDays: 180,
    });
  }
}
