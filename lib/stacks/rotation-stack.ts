import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule, type ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import { LoggedFunction } from './functions.ts';
import { allow } from './rights.ts';

interface RotationProps {
  config: Config;
  bundles: FunctionBundles;
  secret: ISecret;
  description: string;
  everyDays: number;
  environment?: Record<string, string>;
  rights?: PolicyStatement[];
}

/**
 * Rotates a secret with the function that the construct ID names. CDK's own schedule would add a right on all
 * resources.
 */
export class Rotation extends Construct {
  constructor(scope: Construct, id: string, props: RotationProps) {
    super(scope, `${id}-rotation`);
    const { secretArn } = props.secret;
    const rotate = new LoggedFunction(scope, id, {
      config: props.config,
      bundles: props.bundles,
      description: props.description,
      memoryMb: 256,
      timeout: Duration.minutes(1),
      environment: props.environment ?? {},
      rights: [
        allow(
          ['secretsmanager:DescribeSecret', 'secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
          [secretArn],
        ),
        ...(props.rights ?? []),
      ],
    });
    const mayInvoke = new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: rotate.function.functionArn,
      principal: 'secretsmanager.amazonaws.com',
      sourceAccount: Stack.of(this).account,
      sourceArn: secretArn,
    });
    const schedule = new CfnRotationSchedule(this, 'Schedule', {
      secretId: secretArn,
      rotationLambdaArn: rotate.function.functionArn,
      rotationRules: { automaticallyAfterDays: props.everyDays },
      // A deployment must not rotate the secret.
      rotateImmediatelyOnUpdate: false,
    });
    // Secrets Manager runs a step of the function when the schedule is set.
    schedule.node.addDependency(mayInvoke, rotate);
  }
}

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
