import type { StackToDeploy } from './assembly.ts';
import { type Aws, AwsRefusal } from './aws.ts';

/**
 * A type of resource with a fixed name. A failed or removed deployment can leave such a resource behind, and its name
 * then blocks the next deployment.
 */
interface NamedKind {
  type: string;
  nameProperty: string;
  /** Resolves when the resource exists. Rejects with the error of AWS when it does not. */
  find(aws: Aws, region: string, name: string): Promise<unknown>;
}

/**
 * Creates a `NamedKind` whose resources are found with one call of the service's JSON protocol. `nameIn` is the request
 * field for the name.
 */
function jsonKind(
  type: string,
  nameProperty: string,
  service: string,
  target: string,
  nameIn = nameProperty,
): NamedKind {
  return { type, nameProperty, find: (aws, region, name) => aws.json(service, region, target, { [nameIn]: name }) };
}

const kinds: readonly NamedKind[] = [
  jsonKind('AWS::DynamoDB::Table', 'TableName', 'dynamodb', 'DynamoDB_20120810.DescribeTable'),
  // The request finds a secret that is scheduled for deletion as well. Its name is still in use.
  jsonKind('AWS::SecretsManager::Secret', 'Name', 'secretsmanager', 'secretsmanager.DescribeSecret', 'SecretId'),
  jsonKind('AWS::KMS::Alias', 'AliasName', 'kms', 'TrentService.DescribeKey', 'KeyId'),
  jsonKind('AWS::SQS::Queue', 'QueueName', 'sqs', 'AmazonSQS.GetQueueUrl'),
  jsonKind('AWS::Events::EventBus', 'Name', 'events', 'AWSEvents.DescribeEventBus'),
  jsonKind('AWS::SSM::Parameter', 'Name', 'ssm', 'AmazonSSM.GetParameter'),
  {
    type: 'AWS::Lambda::Function',
    nameProperty: 'FunctionName',
    find: (aws, region, name) =>
      aws.rest({ service: 'lambda', region, method: 'GET', path: `/2015-03-31/functions/${name}` }),
  },
  {
    type: 'AWS::Logs::LogGroup',
    nameProperty: 'LogGroupName',
    find: async (aws, region, name) => {
      const input = { logGroupNamePrefix: name, limit: 50 };
      const found = JSON.stringify(await aws.json('logs', region, 'Logs_20140328.DescribeLogGroups', input));
      if (!found.includes(`"${name}"`)) throw new AwsRefusal('ResourceNotFoundException', name);
    },
  },
];

/** Matches the error codes of AWS for a resource that does not exist. */
const notFound = /NotFound|NonExistent|DoesNotExist/;

/**
 * Returns existing AWS resources with the names of resources of stacks that do not exist. Each is a text `<type>
 * <name>`.
 */
export async function findLeftovers(aws: Aws, region: string, missing: readonly StackToDeploy[]): Promise<string[]> {
  const leftovers: string[] = [];
  for (const { Type, Properties = {} } of missing.flatMap(({ resources }) => resources)) {
    const kind = kinds.find(({ type }) => type === Type);
    const name = kind === undefined ? undefined : Properties[kind.nameProperty];
    if (kind === undefined || typeof name !== 'string') continue;
    try {
      await kind.find(aws, region, name);
      leftovers.push(`${Type} ${name}`);
    } catch (error) {
      if (!(error instanceof AwsRefusal && notFound.test(error.name))) throw error;
    }
  }
  return leftovers;
}
