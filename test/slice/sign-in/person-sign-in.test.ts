import { ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { expect, test, vi } from 'vitest';
import { seedNames } from '../../../lib/local/seed.ts';
import { ciToken, exchangeConfig, s3Client, signIn } from '../../service/data-clients.ts';
import { personToken } from '../../service/person-tokens.ts';
import { seededService } from '../../service/seeded-service.ts';

const service = await seededService();

const { account_id: ada, identity_id } = seedNames.person;
const dataToken = (sub: string = identity_id) => personToken(service, sub, service.identity.people.data_client_id);
const asPerson = async (token: string, accountId: string = ada, role = 'FullAccess') =>
  signIn(service, token, { serviceAccountId: accountId, role });
const body = 'x';

test('a person signs in with a token and a stock client, and writes and lists by the rights they have', async () => {
  const credentials = await asPerson(await dataToken());
  const s3 = s3Client(service, credentials);
  await s3.send(new PutObjectCommand({ Bucket: 'tide-institute', Key: 'raw-drafts/by-ada.txt', Body: body }));
  const { Buckets, Owner } = await s3.send(new ListBucketsCommand({}));
  expect(Buckets?.map(({ Name }) => Name)).toContain('tide-institute');
  expect(Owner?.DisplayName).toBe(ada);

  const readOnly = s3Client(service, await asPerson(await dataToken(), ada, 'ReadOnly'));
  const put = readOnly.send(new PutObjectCommand({ Bucket: 'tide-institute', Key: 'raw-drafts/no.txt', Body: body }));
  await expect(put).rejects.toMatchObject({ name: 'AccessDenied' });
});

test('GetCallerIdentity tells whose credentials these are: a person, by the account', async () => {
  const sts = new STSClient({ ...exchangeConfig(service), credentials: await asPerson(await dataToken()) });
  const { Account, Arn, UserId } = await sts.send(new GetCallerIdentityCommand({}));
  expect([Account, Arn]).toEqual([ada, `arn:aws:sts::${ada}:assumed-role/FullAccess/slice`]);
  expect(UserId).toMatch(/^SCRA[A-Z2-7]{16}:slice$/);
});

test("the person's trail tells of a sign-in by a tool, once a minute and role", async () => {
  const person = await service.person(identity_id);
  const issued = async () =>
    (await person('GET', `/accounts/${ada}/audit-events?kind=data_credentials.issued`)).body as {
      actor: object;
      subject: object;
    }[];
  // Moves to the middle of a minute without sign-ins, because the audit trail has one event a minute.
  service.advance(150 - ((service.services.clock() / 1000) % 60));
  const before = (await issued()).length;
  for (const role of ['FullAccess', 'FullAccess', 'ReadOnly']) await asPerson(await dataToken(), ada, role);
  await vi.waitFor(
    async () => {
      const events = await issued();
      expect(events.length - before).toBe(2);
      expect(events[0]).toMatchObject({ actor: { account_id: ada }, subject: { to: 'tool' } });
    },
    { timeout: 20_000, interval: 50 },
  );
});

test.each<[string, () => Promise<string>, string, string]>([
  ['a token for the management API', () => personToken(service, identity_id), ada, 'InvalidIdentityToken'],
  [
    'a token for both',
    () =>
      personToken(service, identity_id, [service.identity.people.data_client_id, service.identity.people.client_id]),
    ada,
    'InvalidIdentityToken',
  ],
  ["another person's token", () => dataToken('somebody-else'), ada, 'AccessDenied'],
  ["a person's token for a service account's role", () => dataToken(), seedNames.service_account_id, 'AccessDenied'],
  ["a person's token for an organization's role", () => dataToken(), 'tide-institute', 'AccessDenied'],
  ["a run's token for a person's role", () => ciToken(service), ada, 'AccessDenied'],
])('the exchange refuses %s', async (_, token, account, code) => {
  await expect(asPerson(await token(), account)).rejects.toMatchObject({ name: expect.stringContaining(code) });
});

test.each<[string, () => string | string[]]>([
  ["the data client's", () => service.identity.people.data_client_id],
  ["both clients'", () => [service.identity.people.client_id, service.identity.people.data_client_id]],
  [
    "both clients', the other way round",
    () => [service.identity.people.data_client_id, service.identity.people.client_id],
  ],
  ["a second deployment's", () => 'sluice-of-another'],
  ['its own and that of anybody else', () => [service.identity.people.client_id, 'https://elsewhere.example.org']],
])('the management API refuses a token whose audience is %s, and takes its own', async (_, audience) => {
  const send = async (token: string) => (await service.withAuthorization(`Bearer ${token}`)('GET', '/whoami')).status;
  expect(await send(await personToken(service, identity_id, audience()))).toBe(401);
  expect(await send(await personToken(service, identity_id))).toBe(200);
  expect(await send(await personToken(service, identity_id, [service.identity.people.client_id]))).toBe(200);
});

test('temporary credentials are no credential of the management API', async () => {
  const { accessKeyId, secretAccessKey, sessionToken } = await asPerson(await dataToken());
  for (const authorization of [
    `${accessKeyId} ${secretAccessKey}`,
    `Bearer ${sessionToken}`,
    `${accessKeyId} ${sessionToken}`,
  ]) {
    expect((await service.withAuthorization(authorization)('GET', '/whoami')).status).toBe(401);
  }
});
