import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { parseSecretVersions } from '../../../lib/lambda/secrets/secrets.ts';
import { attributesOfIndex, tableShape } from '../../../lib/store/table-shape.ts';
import { propertiesOf, protectedStacks, synthesize } from './synthesized.ts';

const { data } = synthesize();

describe('the table', () => {
  it('has the keys, indexes, TTL, and stream of the table definition', () => {
    const keySchema = (keys: { partitionKey: string; sortKey: string }) => [
      { AttributeName: keys.partitionKey, KeyType: 'HASH' },
      { AttributeName: keys.sortKey, KeyType: 'RANGE' },
    ];
    const projection = (index: (typeof tableShape.indexes)[number]) => {
      const NonKeyAttributes = attributesOfIndex(index);
      return NonKeyAttributes === undefined
        ? { ProjectionType: 'ALL' }
        : { ProjectionType: 'INCLUDE', NonKeyAttributes };
    };
    data.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: keySchema(tableShape),
      GlobalSecondaryIndexes: tableShape.indexes.map((index) =>
        Match.objectLike({ IndexName: index.name, KeySchema: keySchema(index), Projection: projection(index) }),
      ),
      TimeToLiveSpecification: { AttributeName: tableShape.ttlAttribute, Enabled: true },
      StreamSpecification: { StreamViewType: tableShape.streamView },
    });
  });

  it('accepts unlimited requests, or with its indexes as many as configured', () => {
    const bounds = (template: Template) => {
      const [{ OnDemandThroughput, GlobalSecondaryIndexes }] = propertiesOf(template, 'AWS::DynamoDB::Table');
      const ofIndexes = GlobalSecondaryIndexes.map((index: Record<string, unknown>) => index['OnDemandThroughput']);
      return [OnDemandThroughput, ...ofIndexes];
    };
    expect(bounds(data)).toEqual(Array(1 + tableShape.indexes.length).fill(undefined));
    const bound = { MaxReadRequestUnits: 1000, MaxWriteRequestUnits: 500 };
    const bounded = synthesize({ tableReadUnitsMax: 1000, tableWriteUnitsMax: 500 }).data;
    expect(bounds(bounded)).toEqual(Array(1 + tableShape.indexes.length).fill(bound));
  });

  it('is billed by request, protected, recoverable and encrypted with a key of our own', () => {
    data.hasResourceProperties('AWS::DynamoDB::Table', {
      TableName: 'sluice',
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
    });
  });
});

describe('the keys', () => {
  it('are rotated', () => {
    data.allResourcesProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    data.resourceCountIs('AWS::KMS::Key', 2);
  });

  it('can be used by all principals only through DynamoDB and from this account, and only the key of the table', () => {
    const open = propertiesOf(data, 'AWS::KMS::Key')
      .flatMap(({ KeyPolicy }) => KeyPolicy.Statement)
      .filter((statement) => statement.Principal.AWS === '*');
    expect(open).toHaveLength(1);
    expect(open[0].Condition).toEqual({
      StringEquals: {
        'kms:CallerAccount': { Ref: 'AWS::AccountId' },
        'kms:ViaService': 'dynamodb.us-east-1.amazonaws.com',
      },
    });
  });
});

describe('the secrets', () => {
  it('are generated during the deployment in a readable form, and no template contains one', () => {
    const secrets = propertiesOf(data, 'AWS::SecretsManager::Secret');
    expect(secrets.map(({ Name }) => Name)).toEqual(['sluice/session-keys', 'sluice/api-key-master']);
    for (const { SecretString, GenerateSecretString } of secrets) {
      expect(SecretString).toBeUndefined();
      const { SecretStringTemplate, GenerateStringKey, PasswordLength, ExcludePunctuation } = GenerateSecretString;
      expect(ExcludePunctuation).toBe(true);
      const key = 'aB3'.repeat(30).slice(0, PasswordLength);
      const generated = { ...JSON.parse(SecretStringTemplate), [GenerateStringKey]: key };
      const [version, ...others] = parseSecretVersions(JSON.stringify(generated));
      expect(others).toEqual([]);
      expect(version).toMatchObject({ version: 1 });
      expect(version?.key).toHaveLength(48);
    }
  });
});

it('every stack with retained data has termination protection, or the configured one', () => {
  expect(protectedStacks({})).toHaveLength(14);
  expect(protectedStacks({ removalPolicy: 'destroy' })).toEqual([]);
  expect(protectedStacks({ terminationProtection: false })).toEqual([]);
  expect(protectedStacks({ removalPolicy: 'destroy', terminationProtection: true })).toHaveLength(14);
});

it('resources have the tags that are configured', () => {
  synthesize({ tags: { team: 'data' } }).data.hasResourceProperties('AWS::DynamoDB::Table', {
    Tags: [{ Key: 'team', Value: 'data' }],
  });
});

describe('a deployment without retained data', () => {
  it('leaves no resource when it is deleted', () => {
    const kept = Object.values(synthesize({ removalPolicy: 'destroy' }).data.toJSON()['Resources']).filter(
      (resource) => Object(resource).DeletionPolicy !== 'Delete',
    );
    // Only the aliases of the keys have no deletion policy, and CloudFormation deletes them.
    expect(kept.map((resource) => Object(resource).Type)).toEqual(Array(2).fill('AWS::KMS::Alias'));
  });
});

describe('a first deployment that fails', () => {
  it('leaves no table, key, or secret behind whose name would block the next attempt', () => {
    const policies = Object.values(data.toJSON()['Resources']).map((resource) => Object(resource).DeletionPolicy);
    expect([...new Set(policies)].sort()).toEqual(['RetainExceptOnCreate', undefined]);
  });

  it('creates the table last, because a rollback could not delete it', () => {
    const [table] = Object.values(data.findResources('AWS::DynamoDB::Table'));
    const others = Object.entries(data.toJSON()['Resources']).filter(([id]) => !/^Table/.test(id));
    for (const [id] of others) expect(table?.['DependsOn']).toContain(id);
  });
});
