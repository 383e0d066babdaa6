import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { operations } from '../model/management.ts';
import { askedOperations, operationKey } from './generated-questions.ts';

const folder = path.join(import.meta.dirname, '../model');
const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));

test('the access model is short and imports nothing from the service', () => {
  const lines = files.flatMap((text) => text.trimEnd().split('\n'));
  expect(lines.length).toBeLessThanOrEqual(360);
  const imported = files.flatMap((text) => [...text.matchAll(/\bfrom '([^']+)'/g)].map((match) => match[1]));
  expect(imported.filter((name) => !/^\.\/[a-z-]+\.ts$/.test(name ?? ''))).toEqual([]);
});

test('the access model covers exactly the operations of the registry', () => {
  expect(askedOperations.map(operationKey).toSorted()).toEqual([...operations.keys()].toSorted());
});
