import { type App, type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type FunctionProps,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundleOf, type FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import { allow, roleOf } from './rights.ts';

/** The app, and values that all its stacks share. */
export interface Shared {
  app: App;
  config: Config;
  bundles: FunctionBundles;
}

/** A stack of the deployment, by default in the home region. */
export abstract class ServiceStack extends Stack {
  protected readonly config: Config;
  protected readonly bundles: FunctionBundles;

  constructor({ app, config, bundles }: Shared, name: string, region: string = config.homeRegion) {
    const terminationProtection = config.terminationProtection ?? config.removalPolicy === 'retain';
    super(app, `${config.name}-${name}`, { env: { region }, terminationProtection });
    this.config = config;
    this.bundles = bundles;
  }

  /** Adds a Lambda with its log group and role. */
  addFunction(id: string, props: OwnProps<LoggedFunctionProps>, scope: Construct = this): LoggedFunction {
    return new LoggedFunction(scope, id, { config: this.config, bundles: this.bundles, ...props });
  }
}

/** The properties of one function, without those that all share. */
export type OwnProps<Props> = Omit<Props, 'config' | 'bundles'>;

interface EdgeFunctionProps {
  config: Config;
  bundles: FunctionBundles;
  description: string;
  memoryMb: number;
  timeout: Duration;
  rights?: PolicyStatement[];
}

export interface LoggedFunctionProps extends EdgeFunctionProps {
  environment?: Record<string, string>;
  /** Reserved concurrency of the function, which is also its maximum. */
  reservedConcurrency?: number | undefined;
}

function commonProps(id: string, { config, bundles, description, memoryMb, timeout }: EdgeFunctionProps) {
  return {
    functionName: `${config.name}-${id}`,
    description,
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromAsset(bundleOf(bundles, id).directory),
    memorySize: memoryMb,
    timeout,
  } satisfies FunctionProps;
}

/**
 * A Lambda with its own log group and role. The construct ID is the name of its file below functions/. The role has
 * `rights` and may write the log.
 */
export class LoggedFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: LoggedFunctionProps) {
    super(scope, id);
    const { config, environment = {}, reservedConcurrency, rights = [] } = props;
    const logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${config.name}-${id}`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const writeLog = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
    this.function = new LambdaFunction(this, 'Function', {
      ...commonProps(id, props),
      architecture: Architecture.ARM_64,
      environment,
      role: roleOf(this, 'Role', 'lambda', 'own', [...rights, writeLog]),
      logGroup,
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
    });
  }
}

/** A version of functions/edge/<id>.ts for Lambda@Edge, which supports no environment variables, arm64, or layers. */
export class EdgeFunction extends Construct {
  readonly version: IVersion;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: EdgeFunctionProps) {
    super(scope, id);
    // Lambda creates a log group in each region that serves a viewer.
    const logGroups = Stack.of(this).formatArn({
      service: 'logs',
      region: '*',
      resource: `log-group:/aws/lambda/us-east-1.${props.config.name}-${id}:*`,
    });
    const writeLogs = allow(['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], [logGroups]);
    this.role = roleOf(this, 'Role', 'lambda', 'own', [...(props.rights ?? []), writeLogs]);
    const { currentVersion } = new LambdaFunction(this, 'Function', {
      ...commonProps(id, props),
      architecture: Architecture.X86_64,
      role: this.role,
      // A version with remaining replicas cannot be deleted, and a deployment that tries to delete it fails.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    });
    this.version = currentVersion;
  }
}
