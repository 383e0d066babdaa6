import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { vi } from 'vitest';
import { seedNames } from '../../../lib/local/seed.ts';
import { keys } from '../../../lib/store/keys.ts';
import { type Credentials, s3Client } from '../../service/data-clients.ts';
import { seededService } from '../../service/seeded-service.ts';
import type { Client } from '../../service/test-service.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, made, newKey, signUp } from '../users.ts';

/** A service in which tests create repositories, give rights to every kind of caller, and delete the repositories. */

export const organization = seedNames.organization_id;
export const connectionId = seedNames.data_connection_id;

type Signer = Pick<Credentials, 'accessKeyId' | 'secretAccessKey'> & { sessionToken?: string };

/** A caller with rights in one repository: an S3 client and, if possible, a client of the API. */
export interface Holder {
  credentials: Signer;
  api?: Client;
}

export interface Given {
  repository_id: string;
  holders: Readonly<Record<'a grant' | 'a membership' | "the repository's key", Holder>>;
  membership_id: string;
}

/**
 * The requests of a cleanup that a test delays: reads of lists, and writes. If only the writes waited, a cleanup could
 * read its lists too early and miss items that the test creates later.
 */
const heldCommands = ['QueryCommand', 'DeleteItemCommand', 'TransactWriteItemsCommand'];

/** Starts the service for the tests of this file. Call it at the top of the file. */
export async function lifecycleFixture() {
  const table = lookAtTable();
  let held: Promise<void> | undefined;
  const service = await seededService({
    tableName: table.tableName,
    instrumentBackground: watchRequests(async ({ command }) => {
      if (heldCommands.includes(command)) await held;
    }).instrument,
  });
  const [admin, ada] = [await service.user('admin'), await service.user('ada')];
  const [ben, grace] = [await signUp(service, 'ben'), await signUp(service, 'grace')];
  await addMember(ada, organization, ben, 'ben', 'maintainers');
  await made(admin('PUT', '/accounts/grace/flags', ['create_organizations']));
  const graceKey = await newKey(service, grace, '/accounts/grace');
  const serviceAccount = `/service-accounts/${seedNames.service_account_id}`;
  let passedSeconds = 0;
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `buoys-${ids}`;
  };

  const s3 = (credentials: Signer) => s3Client(service, credentials as Credentials, passedSeconds);
  const create = (repository_id: string, changes: Record<string, unknown> = {}, account_id: string = organization) =>
    (account_id === 'grace' ? grace : ada)('POST', `/repositories/${account_id}`, {
      repository_id,
      data_mode: 'private',
      meta: { title: 'Buoys', description: 'Where they drift', tags: 'sea' },
      data_connection_id: connectionId,
      ...changes,
    });
  // The membership as the member reads it, and the membership by ID.
  const isMembership = ({ entity }: Record<string, unknown>) =>
    entity === 'membership' || entity === 'membership_entry';
  // An answered or expired transfer stays visible for a while.
  const isOffer = ({ entity }: Record<string, unknown>) => entity === 'transfer' || entity === 'incoming_transfer';
  /** Returns the items with the internal ID of a deleted repository, except the records of its deletion. */
  const remains = async (uid: string) =>
    (await table.all()).filter(
      (item) =>
        item['repository_uid'] === uid &&
        !(isOffer(item) && item['list_pk'] === undefined) &&
        !(isMembership(item) && item['state'] === 'revoked' && item['list_pk'] === undefined),
    );

  return {
    ...service,
    table,
    admin,
    ada,
    ben,
    grace,
    pass: (seconds: number) => {
      passedSeconds += seconds;
      service.advance(seconds);
    },
    /** Blocks the stream consumer from removing items until the test releases it. */
    holdRemoval: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    newId,
    create,
    /** Creates a private repository of the organization and gives rights in it to every kind of caller. */
    async given(repository_id = newId()): Promise<Given> {
      // One account may invite another three times a day. The test resets this limit.
      await table.putAll([{ ...keys.invitationsToOne(organization, 'grace'), entity: 'invitations_to_one' }]);
      await made(create(repository_id));
      const path = `/repositories/${organization}/${repository_id}`;
      await made(ada('PUT', `${serviceAccount}/grants/${repository_id}`, { access: 'read_write' }));
      const membership_id = await addMember(ada, `${organization}/${repository_id}`, grace, 'grace', 'owners');
      const key = await newKey(service, ada, path);
      return {
        repository_id,
        membership_id,
        holders: {
          'a grant': { credentials: await exchange() },
          'a membership': { credentials: graceKey.credentials, api: grace },
          "the repository's key": { credentials: key.credentials, api: key.client },
        },
      };
    },
    exchange,
    write: ({ credentials }: Holder, repository_id: string, account_id: string = organization) =>
      outcomeOf(
        s3(credentials).send(new PutObjectCommand({ Bucket: account_id, Key: `${repository_id}/a`, Body: 'a' })),
      ),
    read: (holder: Holder | undefined, repository_id: string, account_id: string = organization) =>
      holder === undefined
        ? fetch(`${service.dataUrl}/${account_id}/${repository_id}/a`).then(({ status }) => String(status))
        : outcomeOf(
            s3(holder.credentials).send(new GetObjectCommand({ Bucket: account_id, Key: `${repository_id}/a` })),
          ),
    buckets: async ({ credentials }: Holder) =>
      ((await s3(credentials).send(new ListBucketsCommand({}))).Buckets ?? []).map(({ Name }) => Name),
    remove: async (repository_id: string, account_id: string = organization, by: Client = ada) => {
      await made(by('POST', `/repositories/${account_id}/${repository_id}/disable`));
      return made(
        by('POST', `/repositories/${account_id}/${repository_id}/delete`, {
          confirm: `${account_id}/${repository_id}`,
        }),
      );
    },
    uidOf: async (repository_id: string, account_id: string = organization) =>
      String((await table.find(`REPOSITORY#${account_id}/${repository_id}`, 'REPOSITORY'))?.['uid']),
    remains,
    /** Waits for effects of stream consumers. */
    eventually: (look: () => Promise<unknown>) => vi.waitFor(look, { timeout: 60_000, interval: 100 }),
    nothingRemains: (uid: string) =>
      vi.waitFor(
        async () => {
          const left = (await remains(uid)).map((item) => `${item['pk']} ${item['sk']}`);
          if (left.length > 0) throw new Error(`left: ${left.slice(0, 5)}`);
        },
        { timeout: 60_000, interval: 50 },
      ),
  };

  async function exchange(): Promise<Signer> {
    const answer = await fetch(`${service.dataUrl}/.sts`, {
      method: 'POST',
      body: new URLSearchParams({
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: `arn:aws:iam::${seedNames.service_account_id}:role/FullAccess`,
        RoleSessionName: 'lives',
        WebIdentityToken: service.key,
      }),
    });
    const text = await answer.text();
    const field = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(text)?.[1] ?? '';
    return {
      accessKeyId: field('AccessKeyId'),
      secretAccessKey: field('SecretAccessKey'),
      sessionToken: field('SessionToken'),
    };
  }
}

export type LifecycleFixture = Awaited<ReturnType<typeof lifecycleFixture>>;

/** Returns `done`, or the error name that the SDK reads. */
async function outcomeOf(sent: Promise<unknown>): Promise<string> {
  try {
    await sent;
    return 'done';
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}
