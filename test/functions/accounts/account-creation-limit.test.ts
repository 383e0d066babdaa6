import { expect, test } from 'vitest';
import { testService } from '../../service/test-service.ts';
import { account, createOrganization, made, signUpAdmin, signUpFounder } from '../users.ts';

const noon = Date.parse('2031-05-05T12:00:00Z');
let offset = 0;
const service = await testService({ clock: () => noon + offset });
const admin = await signUpAdmin(service);

test('a user creates at most ten accounts a day, also in parallel, and can create more on the next day', async () => {
  // The user's personal account counts as the first one.
  const founder = await signUpFounder(service, admin, 'founder');
  const make = (index: number) => founder('POST', '/accounts', account(`org-${index}`, 'organization'));
  const answers = await Promise.all(Array.from({ length: 15 }, (_, index) => make(index)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(9);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.detail}`))).toEqual(
    new Set(['409 One user creates at most 10 accounts a day, counted in UTC; try again tomorrow']),
  );
  const others = await signUpFounder(service, admin, 'other-founder');
  await createOrganization(others, 'org-of-other');
  offset = 12 * 3600 * 1000;
  expect((await make(20)).status).toBe(201);
});

test('a creation that is refused for another reason does not count toward the daily limit', async () => {
  const founder = await signUpFounder(service, admin, 'unlucky');
  for (let round = 0; round < 12; round += 1) {
    expect((await founder('POST', '/accounts', account('unlucky', 'organization'))).status).toBe(409);
  }
  await createOrganization(founder, 'at-last');
});

test('an administrator creates accounts without a daily limit', async () => {
  for (let index = 0; index < 12; index += 1)
    await made(admin('POST', '/accounts', account(`made-${index}`, 'organization')));
});
