import { CfnOutput, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import { attributesOfIndex, tableShape } from '../store/table-shape.ts';
import { ServiceStack, type Shared } from './functions.ts';
import { identityKeyAlias, identityKeyOutput, physicalNames, storageIssuerConfig } from './names.ts';
import { allow } from './rights.ts';

const stringKey = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The resources that must not be lost when other stacks are deleted: the table, the encryption keys, and two secrets.
 * Without the secrets, all sessions and API keys would become invalid.
 */
export class DataStack extends ServiceStack {
  readonly table: Table;
  readonly connectionKey: Key;
  readonly sessionKeys: Secret;
  readonly apiKeyMasterSecret: Secret;

  constructor(shared: Shared) {
    super(shared, 'data');
    const { config } = this;
    const names = physicalNames(config);
    // If the first deployment fails, delete the resources that it created. If they stayed, the next attempt would fail
    // because the names are in use.
    const removalPolicy =
      config.removalPolicy === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

    this.table = this.#createTable(removalPolicy);
    this.connectionKey = new Key(this, 'ConnectionKey', {
      alias: names.connectionKeyAlias,
      description: 'Seals the credentials of data connections',
      enableKeyRotation: true,
      removalPolicy,
    });

    this.sessionKeys = this.#rotatingSecret('SessionKeys', {
      secretName: names.sessionKeySecret,
      description: 'Seals session tokens',
      removalPolicy,
    });
    this.apiKeyMasterSecret = this.#rotatingSecret('ApiKeyMaster', {
      secretName: names.apiKeyMasterSecret,
      description: 'Derives the secrets of API keys and seals cursors',
      removalPolicy,
    });
    if (storageIssuerConfig(config) !== undefined) {
      for (const number of config.identityKeys) this.#createIdentityKey(number, removalPolicy);
    }
    // The table comes last, because a rollback cannot delete a table with deletion protection.
    this.table.node.addDependency(this.connectionKey, this.sessionKeys, this.apiKeyMasterSecret);
  }

  #createTable(removalPolicy: RemovalPolicy): Table {
    const { config } = this;
    const names = physicalNames(config);
    const tableKey = new Key(this, 'TableKey', {
      alias: names.tableKeyAlias,
      description: 'Encrypts the table at rest',
      enableKeyRotation: true,
      removalPolicy,
    });
    tableKey.addToResourcePolicy(this.#usableThroughDynamoDb());

    // Set the same limit for the table and its indexes. If an index had a lower limit, it would throttle writes to the
    // table.
    const unitsMax = {
      ...(config.tableReadUnitsMax === undefined ? {} : { maxReadRequestUnits: config.tableReadUnitsMax }),
      ...(config.tableWriteUnitsMax === undefined ? {} : { maxWriteRequestUnits: config.tableWriteUnitsMax }),
    };
    const table = new Table(this, 'Table', {
      tableName: names.table,
      partitionKey: stringKey(tableShape.partitionKey),
      sortKey: stringKey(tableShape.sortKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...unitsMax,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: tableKey,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: config.removalPolicy === 'retain',
      timeToLiveAttribute: tableShape.ttlAttribute,
      stream: StreamViewType[tableShape.streamView],
      removalPolicy,
    });
    for (const index of tableShape.indexes) {
      const attributes = attributesOfIndex(index);
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: stringKey(index.partitionKey),
        sortKey: stringKey(index.sortKey),
        ...(attributes === undefined
          ? {}
          : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...attributes] }),
        ...unitsMax,
      });
    }
    return table;
  }

  /** Creates a key that signs tokens for storage. The key has a replica only in the edge region. */
  #createIdentityKey(number: number, removalPolicy: RemovalPolicy): void {
    const key = new Key(this, `IdentityKey${number}`, {
      alias: identityKeyAlias(this.config, number),
      description: 'Signs the tokens by which the deployment assumes roles of data connections',
      keySpec: KeySpec.RSA_2048,
      keyUsage: KeyUsage.SIGN_VERIFY,
      multiRegion: true,
      removalPolicy,
    });
    new CfnOutput(this, identityKeyOutput(number), { value: key.keyArn });
  }

  /**
   * Allows the use of the encryption key only through DynamoDB, for every principal that may use the table. A
   * function's rights are therefore exactly its rights to the table.
   */
  #usableThroughDynamoDb(): PolicyStatement {
    const actions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'GenerateDataKeyWithoutPlaintext'];
    const viaDynamoDb = {
      'kms:CallerAccount': this.account,
      'kms:ViaService': `dynamodb.${this.region}.amazonaws.com`,
    };
    return allow(
      [...actions, 'ReEncryptFrom', 'ReEncryptTo'].map((action) => `kms:${action}`),
      ['*'],
      {
        principals: [new AnyPrincipal()],
        conditions: { StringEquals: viaDynamoDb },
      },
    );
  }

  /**
   * Creates a secret whose first version is generated by Secrets Manager during the deployment, so that no template
   * contains it.
   * Never change `generateSecretString`. CloudFormation would replace all versions of the secret by a new one.
   */
  #rotatingSecret(id: string, props: SecretProps): Secret {
    return new Secret(this, id, {
      ...props,
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ version: 1, created_at: '2026-01-01T00:00:00Z' }),
        generateStringKey: 'key',
        // A secret is 64 characters from an alphabet of 62, read as base64. This gives 48 bytes that contain 381 random
        // bits.
        passwordLength: 64,
        excludePunctuation: true,
      },
    });
  }
}
