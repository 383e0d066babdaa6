import type { ClientFixture } from './fixtures/client-fixture.ts';
import { findClient } from './fixtures/installed-client.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

const s3cmd = findClient('s3cmd', ['s3cmd']);

function run(fixture: ClientFixture, ...args: string[]): Promise<string> {
  const { host } = new URL(fixture.dataUrl);
  const trusted = fixture.trust['SSL_CERT_FILE'];
  const tls = trusted === undefined ? ['--no-ssl'] : ['--ssl', `--ca-certs=${trusted}`];
  const service = [`--host=${host}`, `--host-bucket=${host}`, '--region=anywhere-1', '--multipart-chunk-size-mb=5'];
  return s3cmd.run([...tls, ...service, '--config=/dev/null', ...args], fixture.fixedSettings);
}

const url = (key: string) => `s3://${bucket}/${key}`;

describeTransfers(s3cmd, {
  partsOfLarge: 3,
  upload: (fixture, file, key) => run(fixture, 'put', file, url(key)),
  download: (fixture, key, file) => run(fixture, 'get', '--force', url(key), file),
  readRange: { cannot: 's3cmd reads whole objects' },
  list: async (fixture, prefix) => {
    const listed = await run(fixture, 'ls', '--recursive', url(prefix));
    return [...listed.matchAll(/s3:\/\/[^/]+\/(.*)$/gm)].map(([, key = '']) => key);
  },
  copy: (fixture, from, to) => run(fixture, 'cp', url(from), url(to)),
  remove: (fixture, key) => run(fixture, 'del', url(key)),
  syncUp: (fixture, folder, prefix) => run(fixture, 'sync', `${folder}/`, url(prefix)),
  syncDown: (fixture, prefix, folder) => run(fixture, 'sync', url(prefix), `${folder}/`),
});
