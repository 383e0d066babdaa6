import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type EventType, eventSchemas } from '../../lib/domain/changes/events.ts';

const page = readFileSync('docs/operating/events.md', 'utf8');
const types = Object.keys(eventSchemas) as EventType[];

test('the page describes exactly the existing events, with their fields', () => {
  const rows = types.map((type) => {
    const schema = eventSchemas[type];
    const fields = Object.entries(schema.shape).map(
      ([name, field]) => `\`${name}\`${field.safeParse(undefined).success ? ' (not always)' : ''}`,
    );
    return `| \`${type}\` | ${schema.meta()?.description} | ${fields.join(', ')} |`;
  });
  expect(page.split('\n').filter((line) => /^\| `/.test(line))).toEqual(rows);
});

test('the example event on the page is valid', () => {
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
  const { event_id, time, ...detail } = shown.detail;
  const type = types.find((known) => known === shown['detail-type']);
  expect(type && eventSchemas[type].parse(detail)).toEqual(detail);
  expect(event_id).toMatch(/^[0-9a-f]{32}$/);
  expect(time.replace('.000', '')).toBe(shown.time);
});
