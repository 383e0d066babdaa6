import { describe, expect, test } from 'vitest';
import type { DataConnectionRecord } from '../../../lib/domain/data/data-connections.ts';
import { type RoleCredentials, type RoleRequest, roleRequest } from '../../../lib/domain/data/role-requests.ts';
import { createRoleCredentialSource } from '../../../lib/edge/assumed-roles.ts';
import { startStsStandIn } from '../../service/sts-server.ts';

const role = {
  type: 's3_assume_role',
  role_arn: 'arn:aws:iam::111122223333:role/sluice-storage',
  external_id: 'sluice-1',
} as const;

const connection = (changes: Partial<DataConnectionRecord> = {}) => ({
  data_connection_id: 'main-store',
  uid: 'uid-of-main-store',
  read_only: false,
  details: { provider: 's3' as const, bucket: 'some-bucket', base_prefix: 'data/', region: 'eu-west-1' },
  ...changes,
});

/**
 * Creates a source of credentials that expire after one hour. The source records its calls, and a test can
 * refuse them.
 */
function countedSource() {
  let now = Date.UTC(2026, 10, 21, 10);
  const requests: RoleRequest[] = [];
  const fixture = {
    requests,
    refuses: false,
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
    ask: createRoleCredentialSource(
      async (request): Promise<RoleCredentials> => {
        requests.push(request);
        if (fixture.refuses) throw new Error('AccessDenied');
        const number = requests.length;
        const expires_at = now + request.durationSeconds * 1000;
        return { access_key_id: `ASIA${number}`, secret_access_key: 's', session_token: 't', expires_at };
      },
      'test',
      () => now,
    ),
  };
  return fixture;
}

const first = { access_key_id: 'ASIA1', secret_access_key: 's', session_token: 't' };

describe('credentials of an assumed role', () => {
  test('are used until five minutes before their expiry, and then renewed', async () => {
    const { ask, advance, requests } = countedSource();
    expect(await ask(connection(), role)).toEqual(first);
    // The derived signing key is stored with the credentials object, so the same object must be returned.
    expect(await ask(connection(), role)).toBe(await ask(connection(), role));
    advance(3299);
    expect(await ask(connection(), role)).toEqual(first);
    advance(1);
    expect(await ask(connection(), role)).toMatchObject({ access_key_id: 'ASIA2' });
    expect(requests).toHaveLength(2);
  });

  test('stay in use while a renewal fails; after their expiry each call gets 503 and STS is called every ten seconds', async () => {
    const fixture = countedSource();
    await fixture.ask(connection(), role);
    fixture.refuses = true;
    fixture.advance(3599);
    expect(await fixture.ask(connection(), role)).toEqual(first);
    fixture.advance(9);
    const refusal = { code: 'unavailable', cause: expect.objectContaining({ message: 'AccessDenied' }) };
    await expect(fixture.ask(connection(), role)).rejects.toMatchObject(refusal);
    fixture.refuses = false;
    fixture.advance(0.9);
    await expect(fixture.ask(connection(), role)).rejects.toMatchObject(refusal);
    expect(fixture.requests).toHaveLength(2);
    fixture.advance(0.1);
    expect(await fixture.ask(connection(), role)).toMatchObject({ access_key_id: 'ASIA3' });
  });

  test.each([
    ['another connection', connection({ data_connection_id: 'other-store' }), role],
    ['the connection once it is read-only', connection({ read_only: true }), role],
    ['another role', connection(), { ...role, role_arn: `${role.role_arn}-2` }],
    ['another external id', connection(), { ...role, external_id: 'sluice-2' }],
  ])('are not shared with %s', async (_, other, otherRole) => {
    const { ask, requests } = countedSource();
    await ask(connection(), role);
    await ask(other, otherRole);
    expect(requests).toHaveLength(2);
    expect(requests[0]).not.toEqual(requests[1]);
  });
});

describe('the session policy of a role', () => {
  const asked = async (changes: Partial<DataConnectionRecord>, role_arn: string = role.role_arn) => {
    const { ask, requests } = countedSource();
    await ask(connection(changes), { ...role, role_arn });
    return requests[0];
  };
  const statements = (request: RoleRequest | undefined) => JSON.parse(request?.policy ?? '').Statement;

  test("allows the bucket below the base prefix, for an hour, under the connection's name", async () => {
    const request = await asked({});
    expect(request).toMatchObject({
      role_arn: role.role_arn,
      by: { external_id: 'sluice-1' },
      session_name: 'sluice-main-store',
      durationSeconds: 3600,
    });
    const [objects, list, uploads, keys] = statements(request);
    expect(objects.Resource).toBe('arn:aws:s3:::some-bucket/data/*');
    expect(objects.Action).toEqual(expect.arrayContaining(['s3:GetObject', 's3:PutObject', 's3:DeleteObject']));
    expect(list).toMatchObject({
      Action: ['s3:ListBucket', 's3:ListBucketVersions'],
      Resource: 'arn:aws:s3:::some-bucket',
      Condition: { StringLike: { 's3:prefix': 'data/*' } },
    });
    expect(uploads.Resource).toBe('arn:aws:s3:::some-bucket');
    expect(keys.Condition).toEqual({ StringLike: { 'kms:ViaService': 's3.*.amazonaws.*' } });
    expect(JSON.stringify(request)).not.toMatch(/"[a-z0-9]+:\*"|Acl|Retention|LegalHold|Policy:/);
  });

  test('never allows the deletion of versions', async () => {
    expect(JSON.stringify(statements(await asked({})))).not.toMatch(/Delete\w*Version/);
  });

  test('allows only reads when the connection is read-only', async () => {
    const actions = statements(await asked({ read_only: true })).flatMap(({ Action }: { Action: string[] }) => Action);
    expect(actions.filter((action: string) => !/^(?:s3:(?:Get|List)|kms:Decrypt$)/.test(action))).toEqual([]);
  });

  test('uses the AWS partition of the role', async () => {
    const request = await asked({}, 'arn:aws-cn:iam::111122223333:role/sluice-storage');
    expect(statements(request)[0].Resource).toBe('arn:aws-cn:s3:::some-bucket/data/*');
  });

  test('stays within the size limit of AWS for the longest names', async () => {
    const details = {
      provider: 's3' as const,
      bucket: 'b'.repeat(63),
      base_prefix: `${'p'.repeat(511)}/`,
      region: 'eu-west-1',
    };
    expect((await asked({ details }))?.policy.length).toBeLessThanOrEqual(2048);
  });
});

describe('AssumeRole', () => {
  const lent = { access_key_id: 'ASIALENT', secret_access_key: 'lent secret', session_token: 'lent token' };
  const request = { ...roleRequest(connection(), role, 'test'), policy: '{"Statement":[]}' };

  test('is signed by the edge role and returns credentials with their expiry', async () => {
    const sts = await startStsStandIn(lent);
    const { expires_at, ...credentials } = await sts.assumeRole(request);
    expect(credentials).toEqual(lent);
    expect(Math.abs(expires_at - Date.now() - 3600_000)).toBeLessThan(60_000);
    expect(sts.calls).toEqual([
      {
        Action: 'AssumeRole',
        Version: '2011-06-15',
        RoleArn: role.role_arn,
        ExternalId: 'sluice-1',
        RoleSessionName: 'sluice-main-store',
        Policy: '{"Statement":[]}',
        DurationSeconds: '3600',
      },
    ]);
  });

  test('rejects when STS refuses it', async () => {
    const sts = await startStsStandIn(lent);
    const refused = sts.assumeRole({ ...request, by: { external_id: 'guessed' } });
    await expect(refused).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});
