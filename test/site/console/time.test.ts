import { expect, test } from 'vitest';
import { formatMinute } from '../../../lib/pages/site/format.ts';
import { localMinute, minuteFormat } from '../../../site/console/components/time.tsx';

const time = Date.parse('2026-01-31T23:30:40Z');

test.each([
  ['Europe/Oslo', '2026-02-01 00:30 CET'],
  ['America/New_York', '2026-01-31 18:30 GMT-5'],
  ['Asia/Kolkata', '2026-02-01 05:00 GMT+5:30'],
  ['UTC', '2026-01-31 23:30 UTC'],
])('a time has the time zone of the user in %s, and its name', (zone, written) => {
  expect(localMinute(time, minuteFormat(zone))).toBe(written);
});

test('a time in UTC has the format of the public pages, and an unknown time is empty', () => {
  expect(localMinute(time, minuteFormat('UTC'))).toBe(formatMinute(time));
  expect([localMinute(undefined), localMinute(Number.NaN)]).toEqual(['', '']);
});
