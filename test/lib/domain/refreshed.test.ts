import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  createRefreshedValue,
  createRefreshedValues,
  type RefreshedValue,
  type RefreshOptions,
  secondsAfter,
} from '../../../lib/domain/refreshed.ts';

let now: number;
let made: number;
let isDown: boolean;
/** If set, the test itself settles each pending call. */
let pending: (() => void)[] | undefined;
beforeEach(() => {
  now = 1_000_000;
  made = 0;
  isDown = false;
  pending = undefined;
});

const figures: RefreshOptions<number> = {
  dueAt: secondsAfter(60),
  endsAt: secondsAfter(600),
  failureRememberedSeconds: 10,
  missEverySeconds: 30,
  unavailable: (cause) => new Error('unavailable', { cause }),
};

async function make(): Promise<number> {
  made += 1;
  const value = made;
  if (pending !== undefined) await new Promise<void>((resolve) => pending?.push(resolve));
  if (isDown) throw new Error('down');
  return value;
}

const start = (changes: Partial<RefreshOptions<number>> = {}) =>
  createRefreshedValue(make, { ...figures, ...changes }, () => now);
const pass = (seconds: number) => {
  now += seconds * 1000;
};

/** Returns the value that a caller gets, or reports that the call returned no value. */
const ask = (value: RefreshedValue<number>, serves?: (kept: number) => boolean) =>
  value(serves).catch((error: Error) => error.message);

describe('a value', () => {
  test('is created by the first caller, cached for its TTL, and then created again', async () => {
    const value = start();
    expect(made).toBe(0);
    expect([await ask(value), await ask(value)]).toEqual([1, 1]);
    pass(59.999);
    expect(await ask(value)).toBe(1);
    pass(0.001);
    expect(await ask(value)).toBe(2);
  });

  test('is passed to the function that refreshes it', async () => {
    const value = createRefreshedValue(
      async (before: number | undefined) => (before ?? 0) + 10,
      figures,
      () => now,
    );
    expect(await value()).toBe(10);
    pass(60);
    expect(await value()).toBe(20);
  });

  test('is fetched by one call at a time for all callers', async () => {
    pending = [];
    const value = start();
    const asked = Promise.all([ask(value), ask(value), ask(value)]);
    expect(made).toBe(1);
    pending.shift()?.();
    expect(await asked).toEqual([1, 1, 1]);
    expect(made).toBe(1);
  });

  test('has a TTL that starts before the fetch', async () => {
    pending = [];
    const value = start();
    const asked = ask(value);
    pass(50);
    pending.shift()?.();
    expect(await asked).toBe(1);
    pending = undefined;
    pass(10);
    expect(await ask(value)).toBe(2);
  });

  test('can be fetched again at once after a failed first fetch', async () => {
    const failing = () => {
      throw new Error('at once');
    };
    const clock = () => now;
    const value = createRefreshedValue<number>(() => (made++ === 0 ? failing() : Promise.resolve(7)), figures, clock);
    expect(await ask(value)).toBe('unavailable');
    pass(10);
    expect(await ask(value)).toBe(7);
  });
});

describe('in an outage,', () => {
  test('the cached value is used until its expiry, and refreshed as soon as possible', async () => {
    const value = start();
    await ask(value);
    isDown = true;
    pass(60);
    expect(await ask(value)).toBe(1);
    pass(539.999);
    expect(await ask(value)).toBe(1);
    pass(0.001);
    expect(await ask(value)).toBe('unavailable');
    isDown = false;
    pass(10);
    expect(await ask(value)).toBe(made);
  });

  test('the refusal contains the cause', async () => {
    isDown = true;
    await expect(start()()).rejects.toMatchObject({ cause: { message: 'down' } });
  });

  test('a value that expires during a refresh is not used', async () => {
    const value = start({ endsAt: secondsAfter(61) });
    await ask(value);
    pass(60);
    pending = [];
    isDown = true;
    const asked = ask(value);
    pass(1);
    pending.shift()?.();
    expect(await asked).toBe('unavailable');
  });
});

describe('a caller that needs a newer value', () => {
  const never = () => false;

  test('refreshes it, at most once in an interval', async () => {
    const value = start();
    await ask(value);
    expect(await ask(value, never)).toBe(1);
    pass(30);
    expect(await ask(value, never)).toBe(2);
    expect(await ask(value, never)).toBe(2);
    expect(made).toBe(2);
  });

  test('delays no caller that accepts the cached value', async () => {
    const value = start();
    await ask(value);
    pass(30);
    pending = [];
    const missing = ask(value, never);
    expect(await ask(value)).toBe(1);
    const waiting = ask(value, never);
    expect(made).toBe(2);
    pending.shift()?.();
    expect(await Promise.all([missing, waiting])).toEqual([2, 2]);
  });

  test('gets undefined if this is configured, while other callers continue', async () => {
    const value = start({ refusesMissInOutage: true });
    await ask(value);
    pass(30);
    expect(await ask(value, never)).toBe(2);
    isDown = true;
    pass(30);
    expect(await ask(value, never)).toBe('unavailable');
    expect(await ask(value)).toBe(2);
    isDown = false;
    pass(30);
    expect(await ask(value, never)).toBe(4);
  });

  test('waits for the TTL if no interval is set', async () => {
    const { missEverySeconds: _, ...others } = figures;
    const value = createRefreshedValue(make, others, () => now);
    await ask(value);
    pass(59);
    expect(await ask(value, never)).toBe(1);
  });
});

test('a value is never used after its expiry, and each failure delays the next call', async () => {
  const step = fc.record({ seconds: fc.integer({ min: 0, max: 90 }), isDown: fc.boolean(), serves: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const calls: { at: number; failed: boolean }[] = [];
      const value = createRefreshedValue<number>(
        async () => {
          calls.push({ at: now, failed: isDown });
          if (isDown) throw new Error('down');
          return now;
        },
        { ...figures, endsAt: secondsAfter(200) },
        () => now,
      );
      for (const { seconds, serves, ...next } of steps) {
        pass(seconds);
        isDown = next.isDown;
        const got = await ask(value, () => serves);
        if (typeof got === 'number') {
          expect(now - got).toBeLessThan(200_000);
          const failedLately = calls.some(({ at, failed }) => failed && now - at < 10_000);
          if (!isDown && !failedLately) expect(now - got).toBeLessThan(60_000);
        }
      }
      for (const [index, { at, failed }] of calls.entries()) {
        const next = calls[index + 1];
        if (next !== undefined) expect(next.at - at).toBeGreaterThanOrEqual(failed ? 10_000 : 30_000);
      }
    }),
    { numRuns: 300 },
  );
});

test('each key has its own value, and a full cache drops the least recently used ones', async () => {
  const asked: string[] = [];
  const makeFor = async (key: string) => {
    asked.push(key);
    if (key === 'down') throw new Error('down');
    return key.toUpperCase();
  };
  const by = createRefreshedValues<string, string>(
    makeFor,
    { ...figures, dueAt: secondsAfter(60), endsAt: secondsAfter(600), keysMax: 2 },
    () => now,
  );
  expect([await by('a')(), await by('b')(), await by('a')()]).toEqual(['A', 'B', 'A']);
  await expect(by('down')()).rejects.toThrow('unavailable');
  expect(await by('a')()).toBe('A');
  expect(await by('b')()).toBe('B');
  expect(asked).toEqual(['a', 'b', 'down', 'b']);
});
