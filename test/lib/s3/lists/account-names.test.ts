import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PrincipalRights } from '../../../../lib/domain/data/data-access.ts';
import type { RepositoryRecord } from '../../../../lib/domain/data/repositories.ts';
import { parseXml, xmlChildren, xmlText } from '../../../../lib/domain/xml.ts';
import {
  anonymous,
  apiKeyOptions,
  dataFixture,
  decide,
  type Fixture,
  sessionOptions,
  signed,
} from '../data-fixture.ts';

/** Account names with common prefixes, for which S3's order of keys differs from the order of the names. */
const ids = ['aaa', 'aaa-b', 'aaa-b-c', 'aaa0', 'aaab', 'abc', 'b-a', 'b-b', 'b0b', 'bbb', 'zzz'];

const someRepository = (repository_id: string) =>
  fc.record({
    repository_id: fc.constant(repository_id),
    uid: fc.constant(`uid of ${repository_id}`),
    state: fc.constantFrom('listed' as const, 'unlisted' as const),
    data_mode: fc.constantFrom('open' as const, 'private' as const),
    disabled: fc.constantFrom(false, false, false, true),
  });
const someFixture = fc.record({
  repositories: fc.shuffledSubarray(ids).chain((some) => fc.tuple(...some.map(someRepository))),
  /** Grants by repository name. Some belong to a deleted repository of the same name. */
  granted: fc.array(fc.record({ id: fc.constantFrom(...ids), isFormer: fc.constantFrom(false, false, true) })),
  caller: fc.constantFrom('anyone', 'owner', 'grantee', 'former grantee'),
  isOwnerDisabled: fc.constantFrom(false, false, false, false, true),
});
const someList = fc.record({
  prefix: fc.constantFrom('', '', 'a', 'aaa', 'aaa-', 'b', 'x', 'A', 'ä', `a${'b'.repeat(60)}`),
  after: fc.oneof(
    fc.constantFrom('', '', 'aaa', 'aaa/', 'aaa/key', 'aaa-b/', 'b', 'bä/c', '~', 'a'.repeat(2000)),
    fc.string({ maxLength: 5 }),
  ),
  keysMax: fc.integer({ min: 1, max: 5 }),
});
type Made = typeof someFixture extends fc.Arbitrary<infer Value> ? Value : never;

const rightsOf = ({ granted, caller }: Made): PrincipalRights => ({
  actingAccount:
    caller === 'owner'
      ? { account_id: 'tide-institute', account_type: 'organization', disabled: false, times_disabled: 0 }
      : undefined,
  roles: [],
  serviceAccount:
    caller === 'grantee'
      ? { uid: 'uid-1', disabled: false, times_disabled: 0, ended_sources: [], federated_only: false }
      : undefined,
  grants: new Map(
    granted.map(({ id, isFormer }) => [id, { access: 'read', repository_uid: isFormer ? 'former' : `uid of ${id}` }]),
  ),
});

/** The simplest form of the rule: it checks all repositories of the account. */
function shownTo({ repositories, granted, caller, isOwnerDisabled }: Made): string[] {
  const held = new Map(granted.map(({ id, isFormer }) => [id, !isFormer]));
  const shown = repositories.filter(({ repository_id, state, data_mode, disabled }) => {
    if (disabled || isOwnerDisabled) return false;
    if (caller === 'owner' || (state === 'listed' && data_mode === 'open')) return true;
    return caller === 'grantee' && held.get(repository_id) === true;
  });
  return shown.map(({ repository_id }) => `${repository_id}/`).sort();
}

function fixtureOf(made: Made): Fixture {
  const fixture = dataFixture();
  const [template] = fixture.repositories as [RepositoryRecord];
  fixture.repositories = made.repositories.map((one) => ({ ...template, ...one }));
  fixture.status.owner = { account_id: 'tide-institute', account_type: 'organization', disabled: made.isOwnerDisabled };
  fixture.deps.access.readRights = async () => rightsOf(made);
  return fixture;
}

async function pageOf(fixture: Fixture, caller: Made['caller'], query: Record<string, string>) {
  const path = '/tide-institute';
  const request =
    caller === 'anyone'
      ? anonymous(path, { rawQuery: new URLSearchParams(query).toString() })
      : await signed({ path, query }, caller === 'owner' ? apiKeyOptions() : sessionOptions());
  const decision = await decide(request, fixture);
  if (decision.kind !== 'respond') throw new Error('asked storage');
  const root = parseXml(decision.answer.body, 'ListBucketResult');
  return {
    prefixes: xmlChildren(root, 'CommonPrefixes').map((child) => xmlText(child, 'Prefix') ?? ''),
    isTruncated: xmlText(root, 'IsTruncated') === 'true',
    next: xmlText(root, 'NextContinuationToken') ?? xmlText(root, 'NextMarker'),
  };
}

const bytes = (text: string) => Buffer.from(text.toWellFormed());

test('all pages of a list show the visible repositories in order, and only the last page is not full', async () => {
  await fc.assert(
    fc.asyncProperty(
      someFixture,
      someList,
      fc.constantFrom(1, 2),
      async (made, { prefix, after, keysMax }, version) => {
        const fixture = fixtureOf(made);
        const isBehind = (name: string) =>
          Buffer.compare(bytes(name), bytes(after)) > 0 || (after.startsWith(name) && after !== name);
        const due = shownTo(made).filter((name) => name.startsWith(prefix) && isBehind(name));
        const listed: string[] = [];
        const query = { delimiter: '/', 'max-keys': String(keysMax), prefix };
        const first = version === 1 ? { marker: after } : { 'list-type': '2', 'start-after': after };
        for (let position: Record<string, string> = first; ; ) {
          const { prefixes, isTruncated, next } = await pageOf(fixture, made.caller, { ...query, ...position });
          listed.push(...prefixes);
          expect(isTruncated).toBe(listed.length < due.length);
          if (!isTruncated) break;
          expect(prefixes).toHaveLength(keysMax);
          position = version === 1 ? { marker: next ?? '' } : { 'list-type': '2', 'continuation-token': next ?? '' };
        }
        expect(listed).toEqual(due);
      },
    ),
    { numRuns: 400 },
  );
});

test('a page reads no more repositories than it can show', async () => {
  await fc.assert(
    fc.asyncProperty(someFixture, fc.integer({ min: 1, max: 5 }), async (made, keysMax) => {
      const fixture = fixtureOf(made);
      const { readNames, readRepositories } = fixture.deps.access;
      let read = 0;
      fixture.deps.access.readNames = async (...args) => {
        const found = await readNames(...args);
        read += found.items.length;
        if (args[1] === 'hidden') expect(made.caller).toBe('owner');
        return found;
      };
      fixture.deps.access.readRepositories = async (paths, age) => {
        for (const { repository_id } of paths) expect(made.granted.map(({ id }) => id)).toContain(repository_id);
        return readRepositories(paths, age);
      };
      await pageOf(fixture, made.caller, { delimiter: '/', 'max-keys': String(keysMax) });
      expect(read).toBeLessThanOrEqual(made.caller === 'owner' ? 2 * keysMax : keysMax);
    }),
    { numRuns: 200 },
  );
});
