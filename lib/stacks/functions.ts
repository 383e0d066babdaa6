import { type App, type Duration, Fn, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
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
import { CfnParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { bundleOf, edgeNodeVersion, type FunctionBundles } from './bundle.ts';
import { type Config, ConfigError } from './config.ts';
import { allow, roleOf } from './rights.ts';

/** The app, and the values that all its stacks have in common. */
export interface Shared {
  app: App;
  config: Config;
  bundles: FunctionBundles;
}

/** A stack of the deployment. By default, it is in the home region. */
export abstract class ServiceStack extends Stack {
  protected readonly config: Config;
  protected readonly bundles: FunctionBundles;
  readonly #outputs = new Map<string, string>();

  constructor({ app, config, bundles }: Shared, name: string, region: string = config.homeRegion) {
    const terminationProtection = config.terminationProtection ?? config.removalPolicy === 'retain';
    super(app, `${config.name}-${name}`, { env: { region }, terminationProtection });
    this.config = config;
    this.bundles = bundles;
  }

  /**
   * Returns an output of another stack, by the stack's name without the deployment's prefix.
   * CloudFormation resolves each `Fn::GetStackOutput` separately, and throttles at about one per second (aws-cdk issue
   * 38010). The value is therefore read into a parameter, once for all functions. Unlike an export, an output may
   * change while other stacks use it.
   */
  outputOf(name: string, output: string, region: string): string {
    const id = `${name}-${output}`;
    const resolved = this.#outputs.get(id);
    if (resolved !== undefined) return resolved;
    const stackName = `${this.config.name}-${name}`;
    const { attrValue } = new CfnParameter(this, id, {
      type: 'String',
      description: `The output ${output} of ${stackName}`,
      value: Fn.getStackOutput(stackName, output, region),
    });
    this.#outputs.set(id, attrValue);
    return attrValue;
  }

  /** Adds a Lambda function with its own log group and role. */
  addFunction(id: string, props: OwnProps<LoggedFunctionProps>, scope: Construct = this): LoggedFunction {
    return new LoggedFunction(scope, id, { config: this.config, bundles: this.bundles, ...props });
  }
}

/** The properties that differ between functions. */
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
  /** The name of the function without the deployment's prefix. The default is the construct ID. */
  name?: string;
  environment?: Record<string, string>;
  /** The size of the folder `/tmp`. The default is 512 MB. */
  diskMb?: number;
  /** The name of the function's role. Set it if a policy contains the name. */
  roleName?: string;
  /** The reserved concurrency of the function, which is its maximum concurrency as well. */
  reservedConcurrency?: number | undefined;
}

function commonProps(id: string, { bundles, description, memoryMb, timeout }: EdgeFunctionProps) {
  return {
    description,
    handler: 'index.handler',
    code: Code.fromAsset(bundleOf(bundles, id).directory),
    memorySize: memoryMb,
    timeout,
  } satisfies Partial<FunctionProps>;
}

/**
 * A Lambda function with its own log group and role. The construct ID is the name of the function's file below
 * `functions/`. The role has the given rights, and may write to the log group.
 */
export class LoggedFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: LoggedFunctionProps) {
    super(scope, id);
    const { config, name = id, environment = {}, reservedConcurrency, diskMb, rights = [], roleName } = props;
    const functionName = `${config.name}-${name}`;
    const logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const writeLog = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
    requireSmallEnvironment(functionName, Stack.of(this).resolve(environment));
    this.function = new LambdaFunction(this, 'Function', {
      ...commonProps(id, props),
      functionName,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      environment,
      role: roleOf(this, 'Role', 'lambda', 'own', [...rights, writeLog], roleName),
      logGroup,
      ...(diskMb === undefined ? {} : { ephemeralStorageSize: Size.mebibytes(diskMb) }),
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
    });
  }
}

/** The maximum size of a function's environment variables. Lambda measures all of them together, as JSON. */
const environmentBytesMax = 4096;
/** A placeholder for an ARN or a URL that is known only during the deployment. It is as long as a long ARN. */
const unknownValue = 'x'.repeat(128);
/** The settings that determine the lengths of environment variables. */
const settingOfVariable: Readonly<Record<string, string>> = {
  SLUICE_ADMIN_IDENTITY_IDS: 'adminIdentityIds',
  SLUICE_CI_ISSUERS: 'ciIssuers',
  SLUICE_SITE: 'site',
  SLUICE_USER_ISSUER: 'userIssuer',
};

/**
 * Checks the size of a function's environment variables before the deployment. Lambda would refuse them only after
 * other stacks have changed.
 *
 * @throws ConfigError if the variables are too large
 */
function requireSmallEnvironment(functionName: string, environment: Record<string, unknown>): void {
  const variables = Object.entries(environment).map(
    ([name, value]) => [name, typeof value === 'string' ? value : unknownValue] as const,
  );
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const bytes = bytesOf(Object.fromEntries(variables));
  if (bytes <= environmentBytesMax) return;
  const settings = variables
    .flatMap(([name, value]) => {
      const setting = settingOfVariable[name];
      return setting === undefined ? [] : [{ setting, size: bytesOf(value) }];
    })
    .sort((a, b) => b.size - a.size)
    .map(({ setting, size }) => `${setting} (${size} bytes)`);
  throw new ConfigError(
    `The environment of the function ${functionName} has ${bytes} bytes, and Lambda allows ${environmentBytesMax}. ` +
      `Shorten these settings of sluice.config.ts: ${settings.join(', ')}.`,
  );
}

/**
 * The runtime of all edge functions. docs/operating/when-a-deployment-fails.md describes what to do when AWS does not
 * accept this runtime.
 */
export const edgeRuntime = new Runtime(`nodejs${edgeNodeVersion}.x`);

/**
 * A version of functions/edge/<id>.ts for Lambda@Edge, which supports no environment variables, no arm64, and no
 * layers. The function has no fixed name: AWS deletes a replicated function only hours after its distribution. After a
 * failed deployment, a fixed name would be in use until then and would block the next attempt.
 */
export class EdgeFunction extends Construct {
  readonly version: IVersion;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: EdgeFunctionProps) {
    super(scope, id);
    const stack = Stack.of(this);
    // Lambda creates a log group in each region in which the function runs. CloudFormation creates the function's name
    // from the stack's name, of which it uses at least the first 24 characters.
    const logGroups = stack.formatArn({
      service: 'logs',
      region: '*',
      resource: `log-group:/aws/lambda/us-east-1.${stack.stackName.slice(0, 24)}*:*`,
    });
    const writeLogs = allow(['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], [logGroups]);
    this.role = roleOf(this, 'Role', 'lambda', 'own', [...(props.rights ?? []), writeLogs]);
    const { currentVersion } = new LambdaFunction(this, 'Function', {
      ...commonProps(id, props),
      runtime: edgeRuntime,
      architecture: Architecture.X86_64,
      role: this.role,
      // Keep old versions of the function. A version that still has replicas cannot be deleted, and a deployment that
      // tries to delete it would fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    });
    this.version = currentVersion;
  }
}
