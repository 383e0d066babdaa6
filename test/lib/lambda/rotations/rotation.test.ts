import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSecretText } from '../../../../lib/lambda/aws/secrets-manager.ts';
import { createRotationHandler } from '../../../../lib/lambda/rotations/rotation.ts';
import { rotateApiKeyMaster, rotateSessionKeys } from '../../../../lib/lambda/rotations/rotations.ts';
import { createSecretSource, parseSecretVersions } from '../../../../lib/lambda/secrets/secrets.ts';
import { AwsStandIn } from '../aws-server.ts';

/** The secret's value that Secrets Manager generates during deployment. */
const generated = JSON.stringify({ version: 1, created_at: '2026-01-01T00:00:00Z', key: 'aB3x'.repeat(16) });
const start = Date.parse('2026-06-01T00:00:00Z');
const hours = (count: number) => count * 3_600_000;

interface Rotating {
  aws: AwsStandIn;
  step(name: string, token: string): Promise<void>;
  rotate(): Promise<void>;
  numbers(): number[];
  at(now: number): void;
}

async function rotating(rotate: typeof rotateSessionKeys): Promise<Rotating> {
  const aws = await AwsStandIn.start(generated);
  onTestFinished(() => aws.close());
  let now = start;
  const handler = createRotationHandler({
    secrets: aws.secrets,
    rotate: (text) => rotate(text, now, randomBytes(48)),
  });
  const step = (Step: string, ClientRequestToken: string) => handler({ Step, SecretId: 'secret', ClientRequestToken });
  return {
    aws,
    step,
    async rotate() {
      const token = randomUUID();
      aws.beginRotation(token);
      for (const name of ['createSecret', 'setSecret', 'testSecret', 'finishSecret']) await step(name, token);
    },
    numbers: () => parseSecretVersions(aws.current).map(({ version }) => version),
    at: (time) => {
      now = time;
    },
  };
}

describe.each([
  ['the session keys', rotateSessionKeys],
  ['the master of API keys', rotateApiKeyMaster],
])('a rotation of %s', (_, rotate) => {
  it('adds a version with the current time, and does not change earlier versions', async () => {
    const { aws, rotate: rotateNow } = await rotating(rotate);
    await rotateNow();
    const [first, second] = parseSecretVersions(aws.current);
    expect(first).toEqual(parseSecretVersions(generated)[0]);
    expect(second).toMatchObject({ version: 2, created_at: start });
    expect(second?.key).toHaveLength(48);
    expect(aws.isRotating).toBe(false);
  });

  it('changes nothing before its last step, and nothing when Lambda repeats that step', async () => {
    const { aws, step } = await rotating(rotate);
    aws.beginRotation('token');
    for (const name of ['createSecret', 'setSecret', 'testSecret']) await step(name, 'token');
    expect(aws.current).toBe(generated);
    await step('finishSecret', 'token');
    const rotated = aws.current;
    await step('finishSecret', 'token');
    expect(aws.current).toBe(rotated);
  });

  it('creates its key when it succeeds, even hours after its start', async () => {
    const { aws, step, at } = await rotating(rotate);
    aws.beginRotation('token');
    aws.down.add('PutSecretValue');
    await expect(step('finishSecret', 'token')).rejects.toThrow();
    expect(aws.current).toBe(generated);
    at(start + hours(5));
    aws.down.clear();
    await step('finishSecret', 'token');
    expect(parseSecretVersions(aws.current).at(-1)?.created_at).toBe(start + hours(5));
  });

  it('is refused in its test step when the secret cannot be read, before anything is changed', async () => {
    const { aws, step } = await rotating(rotate);
    aws.versions.set('first', { text: '{"password":"x"}', stages: new Set(['AWSCURRENT']) });
    await expect(step('testSecret', 'token')).rejects.toThrow();
  });
});

it('session keys are removed when no token of them can be valid: ten minutes and thirteen hours after their successor', async () => {
  const { rotate, numbers, at } = await rotating(rotateSessionKeys);
  await rotate();
  const retired = start + 600_000 + hours(13);
  at(retired - 1);
  await rotate();
  expect(numbers()).toEqual([1, 2, 3]);
  at(retired);
  await rotate();
  expect(numbers()).toEqual([2, 3, 4]);
});

it('versions of the master secret remain, since keys refer to them', async () => {
  const { rotate, numbers, at } = await rotating(rotateApiKeyMaster);
  for (const year of [1, 2, 3]) {
    at(start + hours(24 * 365 * year));
    await rotate();
  }
  expect(numbers()).toEqual([1, 2, 3, 4]);
});

it('every warm instance has read a new version before any uses it', async () => {
  const { aws, rotate, at } = await rotating(rotateSessionKeys);
  let now = start - 1;
  const instance = createSecretSource(
    (id) => readSecretText(aws.secrets, id),
    'secret',
    () => now,
  );
  await instance();
  at(start);
  await rotate();
  now = start + 599_999;
  expect((await instance()).map(({ version }) => version)).toEqual([1, 2]);
});
