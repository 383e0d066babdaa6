import { expect, it, onTestFinished } from 'vitest';
import { comesFromDistribution, originSecretSchema } from '../../../../lib/domain/secrets/origin-secret.ts';
import { createOriginAuthorizer } from '../../../../lib/lambda/origin-authorizer.ts';
import { createOriginRotation } from '../../../../lib/lambda/rotations/origin-rotation.ts';
import { createRotationHandler } from '../../../../lib/lambda/rotations/rotation.ts';
import { AwsStandIn } from '../aws-server.ts';

const first = 'f'.repeat(64);

async function deployed() {
  const aws = await AwsStandIn.start(JSON.stringify({ current: first }));
  onTestFinished(() => aws.close());
  aws.sent.push(first);
  const handler = createRotationHandler(createOriginRotation('D', aws.secrets, aws.cloudFront));
  const rotate = async (token: string) => {
    aws.beginRotation(token);
    await handler({ Step: 'finishSecret', SecretId: 'secret', ClientRequestToken: token });
  };
  return { aws, rotate, secret: () => originSecretSchema.parse(JSON.parse(aws.current)) };
}

it('the distribution is accepted with the secret from before and from after a rotation', async () => {
  const { aws, rotate, secret } = await deployed();
  const sentSoFar = [first];
  for (const token of ['one', 'two', 'three', 'four']) {
    const before = secret();
    const sentBefore = aws.sent.at(-1);
    await rotate(token);
    // Some edge locations already send the new value, and others still send the old one. The functions that read the
    // secret are up to five minutes behind.
    for (const sent of [sentBefore, aws.sent.at(-1)]) {
      expect(comesFromDistribution(sent, before)).toBe(true);
      expect(comesFromDistribution(sent, secret())).toBe(true);
    }
    expect(aws.sent.at(-1)).toBe(secret().current);
    sentSoFar.push(secret().current);
  }
  // The first rotation only creates the value that the second rotation sends.
  expect(new Set(sentSoFar).size).toBe(4);
});

it('a value is refused after two rotations', async () => {
  const { rotate, secret } = await deployed();
  await rotate('one');
  await rotate('two');
  expect(comesFromDistribution(first, secret())).toBe(true);
  await rotate('three');
  expect(comesFromDistribution(first, secret())).toBe(false);
});

it('a rotation that CloudFront refuses changes nothing, and succeeds in a retry', async () => {
  const { aws, rotate, secret } = await deployed();
  await rotate('one');
  const before = secret();
  aws.down.add('PUTDistribution');
  await expect(rotate('two')).rejects.toThrow();
  expect(secret()).toEqual(before);
  aws.down.clear();
  await rotate('two');
  expect(secret().current).toBe(before.next);
});

it('a rotation that cannot be stored after CloudFront has its value leaves a value that all functions accept', async () => {
  const { aws, rotate, secret } = await deployed();
  await rotate('one');
  aws.down.add('PutSecretValue');
  await expect(rotate('two')).rejects.toThrow();
  expect(comesFromDistribution(aws.sent.at(-1), secret())).toBe(true);
  aws.down.clear();
  await rotate('two');
  expect(aws.sent.at(-1)).toBe(secret().current);
});

it.each([
  ['the value of the distribution', { 'x-sluice-origin': first }, true],
  ['another value', { 'x-sluice-origin': 'g'.repeat(64) }, false],
  ['the beginning of the value', { 'x-sluice-origin': first.slice(0, 63) }, false],
  ['an empty value', { 'x-sluice-origin': '' }, false],
  ['no such header', {}, false],
])('the API authorizes a request with %s: %o %s', async (_, headers, isAuthorized) => {
  const readSecret = async () => ({ current: first });
  expect(await createOriginAuthorizer({ readSecret, clock: () => 0 })({ headers })).toEqual({ isAuthorized });
});

it('reads the secret again after five minutes, but not for wrong values', async () => {
  let reads = 0;
  let now = 0;
  const readSecret = async () => {
    reads += 1;
    return { current: first };
  };
  const authorize = createOriginAuthorizer({ readSecret, clock: () => now });
  for (let guess = 0; guess < 50; guess += 1) await authorize({ headers: { 'x-sluice-origin': `guess ${guess}` } });
  expect(reads).toBe(1);
  now = 300_001;
  await authorize({ headers: { 'x-sluice-origin': first } });
  expect(reads).toBe(2);
});
