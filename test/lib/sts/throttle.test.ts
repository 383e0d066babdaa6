import { beforeEach, describe, expect, test } from 'vitest';
import { issueServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { createExchangeThrottle } from '../../../lib/sts/throttle.ts';
import { loadAgain } from '../../mutation/load-again.ts';
import { type Answer, ExchangeSetup, formRequest, random } from './exchange-setup.ts';

let setup: ExchangeSetup;
const limitTo = (per_ip_per_minute: number, per_key_per_minute: number) => {
  const throttles = { per_ip_per_minute, per_key_per_minute };
  setup.dependencies.throttle = createExchangeThrottle(throttles, () => setup.now);
};
beforeEach(() => {
  setup = new ExchangeSetup();
  limitTo(1000, 100);
});

const here = '203.0.113.1';
const from = (sourceIp: string, WebIdentityToken = setup.key) => setup.exchange({ WebIdentityToken }, { sourceIp });

async function times(count: number, send: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await send(index));
  return answers;
}
const codes = (answers: Answer[]) => [...new Set(answers.map(({ code }) => code))];

describe('exchanges from one IP address', () => {
  test('are limited to 1,000 a minute, with an answer that makes clients back off', async () => {
    await times(1000, () => from(here, 'no token'));
    expect(await from(here)).toMatchObject({
      status: 400,
      code: 'Throttling',
      message: 'Too many sign-ins from this IP address; wait a minute and try again',
    });
    expect(setup.store.requests).toEqual([]);
    expect(setup.reported).toEqual([]);
  });

  test('continue in the next minute, and refused ones do not count', async () => {
    await times(1000, () => from(here, 'no token'));
    await times(500, () => from(here));
    setup.now += 60;
    expect((await from(here)).status).toBe(200);
    expect((await from(here)).code).toBe('Throttling');
    setup.now += 60_000;
    expect(codes(await times(1000, () => from(here, 'no token')))).toEqual(['InvalidIdentityToken']);
    expect((await from(here)).code).toBe('Throttling');
  });

  test('that stay below the limit in every minute are never refused', async () => {
    limitTo(10, 1000);
    for (let minute = 0; minute < 20; minute += 1) {
      const burstAt = (minute * 17) % 60;
      setup.now += burstAt * 1000;
      expect(codes(await times(5, () => from(here)))).toEqual([undefined]);
      setup.now += (60 - burstAt) * 1000;
    }
  });

  test('count for any content, except for requests refused because of the URL', async () => {
    limitTo(4, 100);
    await times(10, () => setup.send(formRequest('', { rawQuery: `x=${setup.key}`, method: 'GET' })));
    await setup.send(formRequest('Action=GetCallerIdentity&Version=2011-06-15'));
    await setup.send(formRequest('', { method: 'DELETE' }));
    await setup.send(formRequest(new Uint8Array(65_537)));
    expect((await from(here)).status).toBe(200);
    expect((await from(here)).code).toBe('Throttling');
  });

  test('do not affect any other IP address', async () => {
    await times(1200, () => from(here, 'no token'));
    expect((await from('203.0.113.2')).status).toBe(200);
  });

  test.each(['x-forwarded-for', 'cloudfront-viewer-address', 'true-client-ip', 'forwarded'])(
    'are counted by the connection, and %s does not change the counter',
    async (name) => {
      const flood = (index: number) =>
        setup.exchange(
          { WebIdentityToken: 'no token' },
          {
            sourceIp: here,
            headers: { 'content-type': 'application/x-www-form-urlencoded', [name]: `198.51.100.${index % 250}` },
          },
        );
      expect((await times(1001, flood)).at(-1)?.code).toBe('Throttling');
      expect((await from('198.51.100.1')).status).toBe(200);
    },
  );

  test.each([
    ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff:ffff:ffff:ffff', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:DB8:0:0:1::', true],
    ['2001:db8::1', '2001:db8:0:1::1', false],
    ['::ffff:203.0.113.1', '203.0.113.1', true],
    ['::ffff:203.0.113.1', '::ffff:203.0.113.2', false],
    ['::1', '::2', true],
  ])('count %s and %s as one network: %s', async (first, second, isOne) => {
    limitTo(1, 100);
    await from(first);
    expect((await from(second)).code === 'Throttling').toBe(isOne);
  });
});

describe('exchanges with one key', () => {
  const address = (index: number) => `203.0.113.${index % 200}`;

  test('are limited to 100 a minute from all IP addresses, with an answer that makes clients back off', async () => {
    expect(codes(await times(100, (index) => from(address(index))))).toEqual([undefined]);
    setup.store.requests.length = 0;
    expect(await from(here)).toMatchObject({
      status: 400,
      code: 'Throttling',
      message: 'Too many sign-ins with this API key; wait a minute, and keep the credentials until they expire',
    });
    expect(setup.store.requests).toEqual([]);
    setup.now += 600;
    expect((await from(here)).status).toBe(200);
  });

  test('are not used up by attempts with other keys', async () => {
    const bad = [
      setup.key.slice(0, -1),
      `${setup.key.slice(0, 10)}!${setup.key.slice(11)}`,
      issueServiceAccountKey(random),
    ];
    await times(600, (index) => from(address(index), bad[index % bad.length]));
    await times(300, (index) =>
      setup.exchange(
        { WebIdentityToken: 'x', RoleArn: 'arn:aws:iam::a--b:role/ReadOnly' },
        { sourceIp: address(index) },
      ),
    );
    expect((await from(here)).status).toBe(200);
  });

  test('get the same answer for a valid key, a revoked key, and an unknown key', async () => {
    const keys = [setup.key, setup.addKey({ revoked_at: toTimestamp(setup.now) }), issueServiceAccountKey(random)];
    const answers: Answer[] = [];
    for (const key of keys) {
      await times(100, (index) => from(address(index), key));
      setup.store.requests.length = 0;
      answers.push(await from(here, key));
      expect(setup.store.requests).toEqual([]);
    }
    expect(codes(answers)).toEqual(['Throttling']);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  test('count after the checks of the shape, the checksum, the role, and the duration', async () => {
    limitTo(1000, 1);
    await from(here);
    expect((await from(here)).code).toBe('Throttling');
    expect((await setup.exchange({ Policy: '{}' })).code).toBe('ValidationError');
    expect((await setup.exchange({ RoleArn: 'x' })).code).toBe('ValidationError');
    expect((await setup.exchange({ DurationSeconds: '1' })).code).toBe('ValidationError');
  });
});

test('a flood of invented IP addresses and keys does not fill the memory', async () => {
  const throttle = createExchangeThrottle({ per_ip_per_minute: 1, per_key_per_minute: 1 }, () => setup.now);
  for (let index = 0; index < 200_000; index += 1) {
    throttle.countIp(`${index & 255}.${(index >> 8) & 255}.${index >> 16}.1`);
    throttle.countKey(index.toString(16).padStart(64, '0'));
  }
  // The throttle dropped this entry: it stores the last ten thousand of each kind.
  expect(() => throttle.countKey('0'.repeat(64))).not.toThrow();
  expect(() => throttle.countKey((199_999).toString(16).padStart(64, '0'))).toThrow(/Too many/);
});

test('a throttle counts 10,000 keys and drops the least recently used one', async () => {
  const url = new URL('../../../lib/sts/throttle.ts', import.meta.url);
  const { createExchangeThrottle: create } = await loadAgain<typeof import('../../../lib/sts/throttle.ts')>(url);
  const throttle = create({ per_ip_per_minute: 1, per_key_per_minute: 1 }, () => 0);
  for (let index = 0; index < 10_000; index += 1) throttle.countKey(`${index}`);
  expect(() => throttle.countKey('0')).toThrow(/Too many/);
  throttle.countKey('another');
  expect(() => throttle.countKey('0')).toThrow(/Too many/);
  expect(() => throttle.countKey('1')).not.toThrow();
});

test.each([
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff:1::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8:1:2::1', '2002:db8:1:2::1', false],
  ['::1', '0:0:0:0:1:2:3:4', true],
  ['::1:2:3:4:5', '0:0:0:1::', true],
  ['::1:2:3:4:5', '0:0:0:2::', false],
  ['1::2:3:4:5:6:7', '1:0:2:3::', true],
  ['1:2:3::4:5:6:7:8', '1:2:3:4::', true],
  ['1::', '1:0:0:0:5:6:7:8', true],
  ['1:23::', '12:3::', false],
])('%s and %s are of one network: %s', (one, other, isOne) => {
  const throttle = createExchangeThrottle({ per_ip_per_minute: 1, per_key_per_minute: 1 }, () => 0);
  throttle.countIp(one);
  if (isOne) expect(() => throttle.countIp(other)).toThrow(expect.objectContaining({ code: 'throttled' }));
  else throttle.countIp(other);
});
