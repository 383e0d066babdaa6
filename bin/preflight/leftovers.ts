import type { StackToDeploy } from './assembly.ts';
import { type Aws, AwsRefusal } from './aws.ts';

/** A kind of resource with a fixed name that a failed or removed deployment can leave behind. */
interface NamedKind {
  type: string;
  nameProperty: string;
  /** Resolves when the resource exists, and rejects with a refusal when it does not. */
  find(aws: Aws, region: string, name: string): Promise<unknown>;
}

const kinds: readonly NamedKind[] = [
  {
    type: 'AWS::DynamoDB::Table',
    nameProperty: 'TableName',
    find: (aws, region, TableName) => aws.json('dynamodb', region, 'DynamoDB_20120810.DescribeTable', { TableName }),
  },
  {
    // Also finds a secret that is scheduled for deletion. Its name is taken too.
    type: 'AWS::SecretsManager::Secret',
    nameProperty: 'Name',
    find: (aws, region, SecretId) => aws.json('secretsmanager', region, 'secretsmanager.DescribeSecret', { SecretId }),
  },
  {
    type: 'AWS::KMS::Alias',
    nameProperty: 'AliasName',
    find: (aws, region, KeyId) => aws.json('kms', region, 'TrentService.DescribeKey', { KeyId }),
  },
  {
    type: 'AWS::SQS::Queue',
    nameProperty: 'QueueName',
    find: (aws, region, QueueName) => aws.json('sqs', region, 'AmazonSQS.GetQueueUrl', { QueueName }),
  },
  {
    type: 'AWS::Events::EventBus',
    nameProperty: 'Name',
    find: (aws, region, Name) => aws.json('events', region, 'AWSEvents.DescribeEventBus', { Name }),
  },
  {
    type: 'AWS::SSM::Parameter',
    nameProperty: 'Name',
    find: (aws, region, Name) => aws.json('ssm', region, 'AmazonSSM.GetParameter', { Name }),
  },
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

/** Error codes for a resource that does not exist. */
const notFound = /NotFound|NonExistent|DoesNotExist/;

/** Returns the resources that exist with names of stacks that do not exist, as `<type> <name>`. */
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
