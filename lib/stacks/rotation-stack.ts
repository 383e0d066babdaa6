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
 * Rotates a secret by a schedule. The construct ID is the name of the function that rotates it. CDK's own construct for
 * this would add a right to all resources.
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
      // Do not rotate the secret during a deployment, but only by its schedule.
      rotateImmediatelyOnUpdate: false,
    });
    // Create the function and its permission first, because Secrets Manager invokes the function when the schedule is
    // created.
    schedule.node.addDependency(mayInvoke, rotate);
  }
}

/**
 * The schedules and functions that rotate the secrets of the home region. They are in a separate stack, so that a
 * change of their code does not affect the secrets.
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
