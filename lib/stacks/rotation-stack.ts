import { Duration } from 'aws-cdk-lib';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule, type ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { DataStack } from './data-stack.ts';
import { type LoggedFunctionProps, ServiceStack, type Shared } from './functions.ts';
import { allow } from './rights.ts';

interface RotationProps extends Pick<LoggedFunctionProps, 'description' | 'environment' | 'rights'> {
  secret: ISecret;
  everyDays: number;
}

/**
 * Rotates a secret with the function that the construct ID names. CDK's own schedule would add a right on all
 * resources.
 */
export class Rotation extends Construct {
  constructor(stack: ServiceStack, id: string, { secret, everyDays, rights = [], ...props }: RotationProps) {
    super(stack, `${id}-rotation`);
    const { secretArn } = secret;
    const rotate = stack.addFunction(id, {
      ...props,
      memoryMb: 256,
      timeout: Duration.minutes(1),
      rights: [
        allow(
          ['secretsmanager:DescribeSecret', 'secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
          [secretArn],
        ),
        ...rights,
      ],
    });
    const mayInvoke = new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: rotate.function.functionArn,
      principal: 'secretsmanager.amazonaws.com',
      sourceAccount: stack.account,
      sourceArn: secretArn,
    });
    const schedule = new CfnRotationSchedule(this, 'Schedule', {
      secretId: secretArn,
      rotationLambdaArn: rotate.function.functionArn,
      rotationRules: { automaticallyAfterDays: everyDays },
      // A deployment must not rotate the secret.
      rotateImmediatelyOnUpdate: false,
    });
    // Secrets Manager runs a step of the function when the schedule is set.
    schedule.node.addDependency(mayInvoke, rotate);
  }
}

/**
 * The schedules and functions that rotate the secrets of the home region. The stack is separate, so that a code change
 * does not affect the secrets.
 */
export class RotationStack extends ServiceStack {
  constructor(shared: Shared, data: DataStack) {
    super(shared, 'rotation');
    new Rotation(this, 'rotate-session-keys', {
      secret: data.sessionKeys,
      description: 'Adds a session key and drops those that no live session needs',
      everyDays: 30,
    });
    new Rotation(this, 'rotate-api-key-master', {
      secret: data.apiKeyMasterSecret,
      description: 'Adds a version of the secret that API keys are derived from',
      everyDays: 180,
    });
  }
}
