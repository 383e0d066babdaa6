import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eventWithoutActor } from '../../../lib/domain/changes/audit.ts';
import { citationFormatNames, citationFormats } from '../../../lib/domain/citation/formats.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { startDataCite } from '../../service/datacite.ts';
import { forThisTest, testService } from '../../service/test-service.ts';
import { addMember, made, newKey, repository, signUp, signUpTides } from '../users.ts';
import { makeReady } from '../versions-of-repositories.ts';

const dataCite = await startDataCite();
const service = await testService({ dataCite: dataCite.setting });
afterAll(dataCite.close);
const { ada, ben } = await signUpTides(service);
beforeEach(() => {
  dataCite.failures.length = 0;
  dataCite.requests.length = 0;
});

let count = 0;
/** Creates a repository with the version `v1`. */
async function place({ state = 'ready', ...changes }: Record<string, unknown> = {}) {
  count += 1;
  const path = `/repositories/tides/gauges-${count}`;
  await made(ada('POST', '/repositories/tides', repository(`gauges-${count}`, changes)));
  const { body: version } = await made(ada('POST', `${path}/versions`, { name: 'v1' }));
  const at = `${path}/versions/v1`;
  const show = async () => (await made(ada('GET', at))).body;
  const withdraw = () => made(ada('POST', `${at}/withdraw`, { reason: 'Wrong' }));
  if (state !== 'freezing') await makeReady(service, version);
  if (state === 'withdrawn') await withdraw();
  return {
    ...{ path, at, show, withdraw, id: `gauges-${count}`, doi: `10.5438/${version.version_uid}` },
    type: (doi: string) => ada('PUT', `${at}/doi`, { doi }),
    register: () => ada('POST', `${at}/doi/register`),
  };
}

const trailOf = async (name: string) => {
  const { body } = await made(ada('GET', '/accounts/tides/audit-events'));
  return body
    .filter(({ subject }: { subject: { repository_id?: string } }) => subject.repository_id === name)
    .map(({ kind, subject }: { kind: string; subject: { doi?: string } }) => [kind, subject.doi]);
};

describe('the citation of a version', () => {
  test.each(citationFormatNames)('contains its title and its page as %s', async (format) => {
    const { at, id } = await place();
    const { body } = await made(service.anyone('GET', `${at}/citation?format=${format}`));
    expect(body).toMatchObject({ format, media_type: citationFormats[format].mediaType });
    expect(body.content).toContain('Gauges');
    expect(body.content).toContain(`${service.apiUrl}/tides/${id}?version=v1`);
  });

  test('contains the DOI, and the withdrawal', async () => {
    const { at, type, withdraw } = await place();
    await made(type('10.5281/ZENODO.1'));
    await withdraw();
    const { body } = await made(service.anyone('GET', `${at}/citation?format=datacite-json`));
    expect(JSON.parse(body.content)).toMatchObject({
      doi: '10.5281/zenodo.1',
      dates: [{ dateType: 'Issued' }, { dateType: 'Withdrawn', dateInformation: 'Wrong' }],
    });
  });

  test('is refused for a version that is not ready, and for another format', async () => {
    const { at } = await place({ state: 'freezing' });
    expect((await ada('GET', `${at}/citation?format=ris`)).body).toMatchObject({ code: 'not_found' });
    for (const query of ['?format=', '?format=endnote', '?format=ris&format=cff']) {
      expect((await ada('GET', `${at}/citation${query}`)).body.code, query).toBe('field_invalid');
    }
    expect((await ada('GET', `${at}x/citation?format=ris`)).body.code).toBe('not_found');
  });

  test('is shown to those who may read the repository', async () => {
    const { at } = await place({ data_mode: 'private' });
    expect((await ada('GET', `${at}/citation?format=ris`)).status).toBe(200);
    expect((await ben('GET', `${at}/citation?format=ris`)).status).toBe(403);
    expect((await service.anyone('GET', `${at}/citation?format=ris`)).status).toBe(401);
  });
});

describe('a typed DOI', () => {
  test('is shown in lower case, is replaced, and is removed by an empty text', async () => {
    const { id, type, show } = await place();
    const typed = { doi: '10.5281/zenodo.1', source: 'typed', state: 'typed' };
    expect((await made(type('10.5281/ZENODO.1'))).body).toMatchObject({ doi: typed });
    expect(await show()).toMatchObject({ doi: typed });
    await made(type('10.5281/zenodo.2'));
    expect((await made(type(''))).body).not.toHaveProperty('doi');
    expect(await show()).not.toHaveProperty('doi');
    expect((await trailOf(id)).slice(0, 3)).toEqual([
      ['version.doi_changed', ''],
      ['version.doi_changed', '10.5281/zenodo.2'],
      ['version.doi_changed', '10.5281/zenodo.1'],
    ]);
  });

  test.each(['freezing', 'ready', 'withdrawn'])('of a version that is %s', async (state) => {
    const { type } = await place({ state });
    expect((await type('10.5281/zenodo.1')).status).toBe(state === 'freezing' ? 409 : 200);
  });

  test.each(['10.1', 'https://doi.org/10.5281/1', '10.5281/a b', '10.5281/ü', ` 10.5281/1`])(
    'is refused in another form: "%s"',
    async (doi) => {
      expect((await (await place()).type(doi)).body.code).toBe('field_invalid');
    },
  );

  test('is changed by owners and maintainers, with a bearer token', async () => {
    const { at } = await place();
    const reader = await signUp(service, 'reading');
    await addMember(ada, 'tides', reader, 'reading', 'write_data');
    const { client: key } = await newKey(service, ada, '/accounts/tides');
    for (const [by, code] of [
      [reader, 'access_denied'],
      [ben, 'access_denied'],
      [key, 'bearer_token_required'],
      [service.anyone, 'unauthenticated'],
    ] as const) {
      expect((await by('PUT', `${at}/doi`, { doi: '10.5281/1' })).body.code).toBe(code);
      expect((await by('POST', `${at}/doi/register`)).body.code).toBe(code);
    }
    expect(dataCite.requests).toEqual([]);
  });
});

describe('a registered DOI', () => {
  test('is a draft first, and then findable', async () => {
    const { doi, id, register, show } = await place();
    const findable = { doi, source: 'datacite', state: 'findable' };
    expect((await made(register())).body).toMatchObject({ doi: findable });
    expect(await show()).toMatchObject({ doi: findable });
    const url = `${service.apiUrl}/tides/${id}?version=v1`;
    expect(dataCite.dois.get(doi)).toMatchObject({
      state: 'findable',
      attributes: { doi, url, titles: [{ title: 'Gauges' }], publicationYear: expect.any(Number), version: 'v1' },
    });
    expect(dataCite.requests.map(({ attributes }) => attributes['event'])).toEqual([undefined, 'publish']);
    expect(dataCite.requests[0]?.agent).toBe(`Sluice (${service.apiUrl})`);
    expect((await trailOf(id))[0]).toEqual(['version.doi_submitted', doi]);
  });

  test('gets the new metadata when it is registered again, also after a withdrawal', async () => {
    const { doi, path, register, withdraw } = await place();
    await made(register());
    const meta = { title: 'Gauges of Bergen', description: '', tags: '' };
    await made(ada('PUT', path, { meta, state: 'listed' }));
    await made(register());
    expect(dataCite.dois.get(doi)?.attributes).toMatchObject({ titles: [{ title: 'Gauges of Bergen' }], subjects: [] });
    await withdraw();
    await made(register());
    expect(dataCite.dois.get(doi)).toMatchObject({
      state: 'findable',
      attributes: { dates: [{ dateType: 'Issued' }, { dateType: 'Withdrawn', dateInformation: 'Wrong' }] },
    });
    expect(dataCite.requests).toHaveLength(4);
  });

  test('stays with the version', async () => {
    const { register, type, show } = await place();
    const { body } = await made(register());
    for (const doi of ['10.5281/zenodo.1', '']) {
      expect((await type(doi)).body).toMatchObject({ code: 'wrong_state', detail: expect.stringContaining('stays') });
    }
    expect(await show()).toEqual(body);
  });

  test.each([
    ['freezing', { state: 'freezing' }, /is freezing/],
    ['withdrawn', { state: 'withdrawn' }, /only a version that is ready/],
    ['of a closed repository', { data_mode: 'private' }, /open it first/],
  ])('is refused for a version that is %s', async (_, changes, detail) => {
    const { register } = await place(changes);
    expect((await register()).body).toMatchObject({ code: 'wrong_state', detail: expect.stringMatching(detail) });
    expect(dataCite.requests).toEqual([]);
  });

  test('is refused for a version with a typed DOI', async () => {
    const { type, register } = await place();
    await made(type('10.5281/zenodo.1'));
    expect((await register()).body).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringContaining('remove it'),
    });
    await made(type(''));
    await made(register());
  });

  test('is not updated after the repository was closed', async () => {
    const { path, register } = await place();
    await made(register());
    await made(ada('PUT', `${path}/data-mode`, { data_mode: 'private' }));
    dataCite.requests.length = 0;
    expect((await register()).body.code).toBe('wrong_state');
    expect(dataCite.requests).toEqual([]);
  });

  test.each([
    ['the answer to the draft is lost', ['lost'], undefined],
    ['the draft is never received', ['reset'], undefined],
    ['DataCite is down', [{ status: 503, body: '<html>' }], undefined],
    ['there are too many requests', [{ status: 429 }], undefined],
    ['the credentials are refused', [{ status: 401, body: '{"errors":[{"title":"Bad credentials."}]}' }], undefined],
    ['the answer to the publication is lost', [{ status: 200 }, 'lost'], 'draft'],
    ['DataCite goes down after the draft', [{ status: 200 }, { status: 500 }], 'draft'],
  ] as const)('is complete after a retry when %s', async (_, failures, state) => {
    const { doi, register, show } = await place();
    dataCite.failures.push(...failures);
    const refused = await register();
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(refused.body.detail).toMatch(/try again/);
    expect(Number(refused.headers.get('retry-after'))).toBe(
      failures.some((each) => Object(each).status === 429) ? 300 : 1,
    );
    expect((await show()).doi?.state).toBe(state);
    expect((await made(register())).body.doi).toEqual({ doi, source: 'datacite', state: 'findable' });
    expect(dataCite.dois.get(doi)?.state).toBe('findable');
  });

  test.each([
    [
      'its reasons',
      '{"errors":[{"source":"url","title":"is not\\n allowed"},{"title":"Nope"}]}',
      ': url: is not allowed; Nope.',
    ],
    ['no reason without one', '<html>', ' of the version.'],
    ['no invisible characters', `{"errors":[{"title":"a\u202eb\\u0000"}]}`, ': a\\u{202e}b\\u{0}.'],
    ['a shortened reason', JSON.stringify({ errors: [{ title: 'x'.repeat(9999) }] }), `${'x'.repeat(497)}….`],
    ['no reason of a large answer', JSON.stringify({ errors: [{ title: 'x'.repeat(70_000) }] }), ' of the version.'],
  ])('is refused by DataCite with %s', async (_, body, told) => {
    const { register, show } = await place();
    dataCite.failures.push({ status: 422, body });
    const refused = await register();
    expect(refused).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
    expect(refused.body.detail).toContain(`DataCite refuses the metadata of the version`);
    expect(refused.body.detail).toContain(told);
    expect(await show()).not.toHaveProperty('doi');
  });

  test('is the same for requests at the same time', async () => {
    const { doi, register, show } = await place();
    const codes = (await Promise.all([register(), register()])).map(({ status, body }) => body.code ?? status);
    expect(codes).toContain(200);
    expect(['200', 'concurrent_change']).toContain(String(codes.find((code) => code !== 200) ?? 200));
    expect((await show()).doi).toEqual({ doi, source: 'datacite', state: 'findable' });
  });

  test('is never replaced by one that was typed at the same time', async () => {
    const { doi, register, type, show } = await place();
    const [registered, typed] = await Promise.all([register(), type('10.5281/zenodo.1')]);
    const expected = typed.status === 200 ? '10.5281/zenodo.1' : doi;
    expect([registered.status, typed.status].toSorted()).toEqual([200, 409]);
    expect((await show()).doi?.doi).toBe(expected);
  });

  test('is not sent to DataCite above the limit of a day', async () => {
    const { register, show } = await place();
    const { store, clock } = service.services;
    const { version_uid } = await show();
    const sent = eventWithoutActor({
      ...{ event_id: randomUUID(), time: toTimestamp(clock()), kind: 'version.doi_submitted', account_id: 'tides' },
      subject: { version_uid },
    });
    const submit = () => store.repositoryVersions.recordDoiSubmission({ ...sent, event_id: randomUUID() });
    for (let left = limits.doiSubmissionsPerDayMax; left > 0; left -= 1) await submit().catch(() => undefined);
    expect((await register()).body).toMatchObject({ code: 'throttled', detail: expect.stringContaining('a day') });
    expect(dataCite.requests).toEqual([]);
    service.advance(24 * 3600);
    await made(register());
  });

  test('is never logged with the password', () => {
    const lines = service.logged.map((line) => inspect(line, { depth: 9 })).join('\n');
    expect(lines).toContain('DataCite answered 401: Bad credentials.');
    expect(lines).not.toContain(dataCite.setting.password);
    expect(lines).not.toContain('Basic ');
  });
});

test('a service without DataCite registers no DOI, and says what to do', async () => {
  const alone = await forThisTest();
  const { ada: owner } = await signUpTides(alone);
  await made(owner('POST', '/repositories/tides', repository('gauges')));
  const { body: version } = await made(owner('POST', '/repositories/tides/gauges/versions', { name: 'v1' }));
  await makeReady(alone, version);
  const { status, body } = await owner('POST', '/repositories/tides/gauges/versions/v1/doi/register');
  expect([status, body.code, body.detail]).toEqual([
    409,
    'wrong_state',
    expect.stringContaining('register one elsewhere'),
  ]);
});
