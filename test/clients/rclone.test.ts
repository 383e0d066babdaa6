import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { type ClientFixture, clientFixture, schemes } from './fixtures/client-fixture.ts';
import { findEachRelease } from './fixtures/installed-client.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

/** The newest release, and the one of the distribution. */
const releases = findEachRelease('rclone', [path.resolve('.clients/go/rclone'), 'rclone', '/usr/bin/rclone'], [], {
  versionArgs: ['version'],
});

function settingsOf(fixture: ClientFixture): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken = '' } = fixture.credentials;
  // With AWS_CA_BUNDLE set, this version fails at its start ("unsupported transport"), whatever the file contains.
  const { AWS_CA_BUNDLE: _breaksIt, ...trust } = fixture.trust;
  return {
    ...trust,
    RCLONE_CONFIG: path.join(fixture.folder, 'none.conf'),
    RCLONE_CONFIG_SLUICE_TYPE: 's3',
    RCLONE_CONFIG_SLUICE_PROVIDER: 'Other',
    RCLONE_CONFIG_SLUICE_ENDPOINT: fixture.dataUrl,
    RCLONE_CONFIG_SLUICE_REGION: 'anywhere-1',
    RCLONE_CONFIG_SLUICE_UPLOAD_CUTOFF: '5Mi',
    RCLONE_CONFIG_SLUICE_ACCESS_KEY_ID: accessKeyId,
    RCLONE_CONFIG_SLUICE_SECRET_ACCESS_KEY: secretAccessKey,
    RCLONE_CONFIG_SLUICE_SESSION_TOKEN: sessionToken,
  };
}

const at = (key: string) => `sluice:${bucket}/${key}`;

for (const rclone of releases) {
  const run = (fixture: ClientFixture, ...args: string[]) => rclone.runForBytes(args, settingsOf(fixture));
  describeTransfers(rclone, {
    partsOfLarge: 3,
    upload: (fixture, file, key) => run(fixture, 'copyto', file, at(key)),
    download: (fixture, key, file) => run(fixture, 'copyto', at(key), file),
    readRange: (fixture, key, first, last) => {
      const range = ['--offset', String(first), '--count', String(last - first + 1)];
      return run(fixture, 'cat', ...range, at(key));
    },
    list: async (fixture, prefix) => {
      const listed = (await run(fixture, 'lsf', '--recursive', '--files-only', at(prefix))).toString();
      return listed.split('\n').flatMap((name) => (name === '' ? [] : [prefix + name]));
    },
    copy: (fixture, from, to) => run(fixture, 'copyto', at(from), at(to)),
    remove: (fixture, key) => run(fixture, 'deletefile', at(key)),
    syncUp: (fixture, folder, prefix) => run(fixture, 'sync', folder, at(prefix)),
    syncDown: (fixture, prefix, folder) => run(fixture, 'sync', at(prefix), folder),
    emptySegments: { cannot: 'rclone takes // for one slash' },
  });

  describe.skipIf(rclone.isMissing).each(schemes)(`${rclone.title} with the five settings, over %s`, (scheme) => {
    const fixture = clientFixture(scheme);

    test('signs in at the root of the data proxy, because it drops the path of the exchange', async () => {
      const { AWS_CA_BUNDLE: _breaksIt, ...settings } = fixture.settings;
      const remote = ['--s3-provider', 'Other', '--s3-env-auth', '--s3-endpoint', fixture.dataUrl];
      const file = path.join(fixture.folder, 'gauges.csv');
      await writeFile(file, 'station,height');
      await rclone.run([...remote, 'copyto', file, `:s3:${bucket}/raw-drafts/by-settings.csv`], settings);
      expect(await rclone.run([...remote, 'cat', `:s3:${bucket}/raw-drafts/by-settings.csv`], settings)).toBe(
        'station,height',
      );
    });

    test('writes from standard input, creates an empty object, and lists unfinished uploads of a repository', async () => {
      await run(fixture, 'touch', at('raw-drafts/touched.txt'));
      await rclone.run(['rcat', at('raw-drafts/piped.txt')], settingsOf(fixture), 'from a pipe');
      expect((await run(fixture, 'cat', at('raw-drafts/piped.txt'))).toString()).toBe('from a pipe');
      expect((await run(fixture, 'lsf', at('raw-drafts/touched.txt'))).toString()).toBe('touched.txt\n');
      const Key = `${bucket}/raw-drafts/unfinished.bin`;
      await fixture.storage.client.send(new CreateMultipartUploadCommand({ Bucket: fixture.storage.bucket, Key }));
      for (const place of [`sluice:${bucket}`, `sluice:${bucket}/raw-drafts`]) {
        const listed = (await run(fixture, 'backend', 'list-multipart-uploads', place)).toString();
        expect(JSON.parse(listed)[bucket]).toMatchObject([{ Key: 'raw-drafts/unfinished.bin' }]);
        await run(fixture, 'cleanup', place);
      }
    });
  });
}
