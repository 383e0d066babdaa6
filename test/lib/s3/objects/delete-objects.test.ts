import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../../lib/domain/data/decision.ts';
import { dataFixture, decide, outcome, relayed, signed } from '../data-fixture.ts';

const remove = (keys: readonly string[], options?: Parameters<typeof signed>[1]) =>
  signed(
    {
      method: 'POST',
      path: '/tide-institute',
      query: { delete: '' },
      body: `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`,
    },
    options,
  );

const answer = (body: string, status = 200) => ({ status, headers: {}, body });
const keysIn = (document: string) => [...document.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key);

/** Continues as the adapter does, with a storage that deletes every requested object. */
function toCloudFrontResult(start: Decision): { asked: { host: string; keys: string[] }[]; shown: string } {
  const asked: { host: string; keys: string[] }[] = [];
  let decision = start;
  for (;;) {
    if (decision.kind !== 'relay') throw new Error(JSON.stringify(decision));
    const keys = keysIn(Buffer.from(decision.body).toString());
    asked.push({ host: decision.request.host, keys });
    const deleted = keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('');
    const result = answer(`<DeleteResult>${deleted}</DeleteResult>`);
    const next = decision.next?.(result);
    if (next === undefined) return { asked, shown: decision.rewrite(result).body };
    decision = next;
  }
}

describe('a list of objects to delete', () => {
  test('in several repositories authorizes every key and sends one request after another', async () => {
    const keys = ['raw-drafts/a', 'ungranted/b', 'tide-gauges/c', 'raw-drafts', 'raw-drafts/d', 'elsewhere/e'];
    const { asked, shown } = toCloudFrontResult(await decide(await remove(keys)));
    const [host, otherHost] = ['hidden-bucket', 'other-bucket'].map((name) => `${name}.s3.eu-west-1.amazonaws.com`);
    const start = 'hidden/tide-institute';
    expect(asked).toEqual([
      { host, keys: [`${start}/raw-drafts/a`, `${start}/raw-drafts/d`] },
      { host, keys: [`${start}/tide-gauges/c`] },
      { host: otherHost, keys: [`${start}/elsewhere/e`] },
    ]);
    const told = shown.matchAll(/<(Deleted|Error)><Key>(.*?)<\/Key>(?:<Code>(.*?)<)?/g);
    expect(Array.from(told, ([, ...one]) => one)).toEqual([
      ['Error', 'raw-drafts', 'AccessDenied'],
      ['Error', 'ungranted/b', 'AccessDenied'],
      ['Deleted', 'raw-drafts/a', undefined],
      ['Deleted', 'raw-drafts/d', undefined],
      ['Deleted', 'tide-gauges/c', undefined],
      ['Deleted', 'elsewhere/e', undefined],
    ]);
    expect(shown).not.toContain('hidden');
  });

  test('sends each ETag to storage, and refuses a version and any other condition', async () => {
    const removeOne = (more: string) => {
      const body = `<Delete><Object><Key>raw-drafts/a</Key>${more}</Object></Delete>`;
      return signed({ method: 'POST', path: '/tide-institute', query: { delete: '' }, body });
    };
    const decision = await relayed(await removeOne('<ETag>"a&amp;b"</ETag>'));
    expect(Buffer.from(decision.body).toString()).toContain(
      '<Object><Key>hidden/tide-institute/raw-drafts/a</Key><ETag>&#x22;a&#x26;b&#x22;</ETag></Object>',
    );
    const failed = '<Error><Key>hidden/tide-institute/raw-drafts/a</Key><Code>PreconditionFailed</Code></Error>';
    expect(decision.rewrite(answer(`<DeleteResult>${failed}</DeleteResult>`)).body).toMatch(
      /<Error><Key>raw-drafts\/a<\/Key><Code>PreconditionFailed<\/Code>/,
    );
    for (const more of [
      '<VersionId>v</VersionId>',
      '<Size>1</Size>',
      '<ETag>a</ETag><Size>1</Size>',
      '<ETag/><ETag/>',
    ]) {
      expect(await outcome(await removeOne(more)), more).toBe('501 NotImplemented');
    }
  });

  test('is refused as a whole when no key may be deleted', async () => {
    const keys = ['ungranted/a', 'no-such-repository/b', 'raw-drafts'];
    expect(await outcome(await remove(keys))).toBe('403 AccessDenied');
  });

  test('ends with the error of the first storage that fails', async () => {
    const decision = await relayed(await remove(['raw-drafts/a', 'tide-gauges/b']));
    const failure = answer('<Error><Code>SlowDown</Code></Error>', 503);
    expect(decision.next?.(failure)).toBeUndefined();
    expect(decision.rewrite(failure).status).toBe(503);
    const cutOff = answer('<DeleteResult><Deleted>');
    expect(() => decision.next?.(cutOff)).toThrow('not a DeleteResult');
  });

  test('with an unsupported name is refused before any request to storage', async () => {
    expect(await outcome(await remove(['raw-drafts/a', 'endpoint/../b']))).toBe('400 InvalidRequest');
  });

  test('in more than ten repositories is refused before any read', async () => {
    const keys = Array.from({ length: 11 }, (_, index) => `repository-${index}/a`);
    const fixture = dataFixture();
    expect(await outcome(await remove(keys), fixture)).toBe('400 InvalidRequest');
    expect(fixture.reads).toBe(0);
    await outcome(await remove(keys.slice(1)), fixture);
    expect(fixture.reads).toBe(10);
  });
});
