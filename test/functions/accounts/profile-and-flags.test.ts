import { describe, expect, test } from 'vitest';
import { testService } from '../../service/test-service.ts';
import { createOrganization, made, signUp, signUpAdmin, signUpFounder } from '../users.ts';

const service = await testService();
const admin = await signUpAdmin(service);
const ada = await signUpFounder(service, admin, 'ada');
await createOrganization(ada, 'tides');

const putProfile = (body: unknown) => ada('PUT', '/accounts/ada/profile', body);

describe('a profile', () => {
  test('changes only in the fields of the request; null clears a field, and an empty update changes nothing', async () => {
    await made(putProfile({ name: 'Ada', bio: 'Counts', location: 'London', url: 'https://ada.example' }));
    expect((await putProfile({ bio: 'Counts still', location: null })).body).toEqual({
      name: 'Ada',
      bio: 'Counts still',
      location: null,
      url: 'https://ada.example',
    });
    const { body } = await putProfile({});
    expect(body.name).toBe('Ada');
    expect((await service.anyone('GET', '/accounts/ada/profile')).body).toEqual(body);
    expect((await ada('GET', '/accounts/ada')).body.profile).toEqual(body);
  });

  test.each([
    ['name', 128],
    ['bio', 1024],
    ['location', 128],
  ])('counts the visible characters of %s: it accepts %i emoji and refuses one more', async (field, bound) => {
    const accepted = { [field]: '🌊'.repeat(bound) };
    expect(await putProfile(accepted)).toMatchObject({ status: 200, body: accepted });
    const answer = await putProfile({ [field]: '🌊'.repeat(bound + 1) });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: field }] } });
  });

  test.each([
    'https://ada.example',
    'http://ada.example/a?b=c#d',
    'https://ada.example:8443/~ada',
    'https://xn--bcher-kva.example/ü',
  ])('accepts the url %s', async (url) =>
    expect(await putProfile({ url })).toMatchObject({ status: 200, body: { url } }),
  );

  test.each([
    'javascript:alert(1)',
    'data:text/html,hello',
    'ftp://ada.example',
    'ada.example',
    '//ada.example',
    '',
    'https://',
    'http:',
    `https://ada.example/${'a'.repeat(2048)}`,
    42,
  ])('refuses the url %s', async (url) =>
    expect(await putProfile({ url })).toMatchObject({ status: 400, body: { errors: [{ path: 'url' }] } }),
  );
});

describe('flags', () => {
  test('are replaced as a whole, without duplicates, and shown to the account', async () => {
    await signUp(service, 'flagged');
    const set = (flags: unknown) => admin('PUT', '/accounts/flagged/flags', flags);
    expect((await set(['create_repositories', 'admin', 'create_repositories'])).body).toEqual([
      'create_repositories',
      'admin',
    ]);
    expect((await set([])).body).toEqual([]);
    expect((await set(['create_organizations'])).body).toEqual(['create_organizations']);
    const flagged = await service.user('flagged');
    expect((await flagged('GET', '/accounts/flagged/flags')).body).toEqual(['create_organizations']);
  });

  test('grant and remove the rights of an admin from the next request on', async () => {
    const deputy = await signUp(service, 'deputy');
    expect((await deputy('GET', '/accounts/ada')).status).toBe(403);
    await made(admin('PUT', '/accounts/deputy/flags', ['admin']));
    expect((await deputy('GET', '/accounts/ada')).status).toBe(200);
    await made(admin('POST', '/accounts/deputy/disable'));
    expect((await deputy('GET', '/accounts/ada')).status).toBe(403);
    await made(admin('POST', '/accounts/deputy/enable'));
    await made(admin('PUT', '/accounts/deputy/flags', []));
    expect((await deputy('GET', '/accounts/ada')).status).toBe(403);
  });

  test.each([
    ['an unknown flag', ['root'], '0'],
    ['an object', { admin: true }, ''],
    ['too many', Array.from({ length: 17 }, () => 'admin'), ''],
  ])('%s are refused', async (_, flags, path) => {
    expect(await admin('PUT', '/accounts/ada/flags', flags)).toMatchObject({
      status: 400,
      body: { errors: [{ path }] },
    });
  });
});
