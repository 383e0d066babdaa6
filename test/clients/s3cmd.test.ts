import type { ClientWorld } from './fixtures/client-fixture.ts';
import { findClient } from './fixtures/installed-client.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

const s3cmd = findClient('s3cmd', ['s3cmd']);

function run(world: ClientWorld, ...args: string[]): Promise<string> {
  const { host } = new URL(world.dataUrl);
  const trusted = world.trust['SSL_CERT_FILE'];
  const tls = trusted === undefined ? ['--no-ssl'] : ['--ssl', `--ca-certs=${trusted}`];
  const service = [`--host=${host}`, `--host-bucket=${host}`, '--region=anywhere-1', '--multipart-chunk-size-mb=5'];
  return s3cmd.run([...tls, ...service, '--config=/dev/null', ...args], world.fixedSettings);
}

const url = (key: string) => `s3://${bucket}/${key}`;

describeTransfers(s3cmd, {
  partsOfLarge: 3,
  upload: (world, file, key) => run(world, 'put', file, url(key)),
  download: (world, key, file) => run(world, 'get', '--force', url(key), file),
  readRange: { cannot: 's3cmd reads whole objects' },
  list: async (world, prefix) => {
    const listed = await run(world, 'ls', '--recursive', url(prefix));
    return [...listed.matchAll(/s3:\/\/[^/]+\/(.*)$/gm)].map(([, key = '']) => key);
  },
  copy: (world, from, to) => run(world, 'cp', url(from), url(to)),
  remove: (world, key) => run(world, 'del', url(key)),
  syncUp: (world, folder, prefix) => run(world, 'sync', `${folder}/`, url(prefix)),
  syncDown: (world, prefix, folder) => run(world, 'sync', url(prefix), `${folder}/`),
});
