import { test } from 'vitest';
import { recordExchange } from './exchange-requests.ts';
import { recordFormats } from './format-vectors.ts';
import { recordManagement } from './management-requests.ts';
import { recordObjects } from './object-requests.ts';

test.each([
  ['management', recordManagement],
  ['exchange', recordExchange],
  ['objects', recordObjects],
  ['formats', recordFormats],
])('the %s interface answers as recorded', async (name, record) => {
  await (await record()).expectRecorded(name);
});
