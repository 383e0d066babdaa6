import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Credentials, roleArn, signIn } from '../service/data-clients.ts';
import { startSeededService } from '../service/seeded-service.ts';

export interface ClientWorld {
  dataUrl: string;
  key: string;
  /** For the files that a client reads and writes. */
  folder: string;
  /** Some bytes that are no text, in a file and as they are. */
  file: string;
  bytes: Buffer;
  /** The settings of sign-in by key (specification, 4.4), the second name of the region that some clients read, a home. */
  settings: Record<string, string>;
  /** For clients that take a fixed set of credentials. */
  credentials: Credentials;
  close(): Promise<void>;
}

/** A seeded service and what a client needs to work with it. */
export async function startClientWorld(): Promise<ClientWorld> {
  const service = await startSeededService();
  const { dataUrl, key } = service;
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-client-'));
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 251));
  const file = path.join(folder, 'readings.bin');
  const keyFile = path.join(folder, 'nightly-sync.key');
  await writeFile(file, bytes);
  await writeFile(keyFile, `${key}\n`);
  return {
    dataUrl,
    key,
    folder,
    file,
    bytes,
    settings: {
      HOME: folder,
      AWS_REGION: 'us-east-1',
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_S3: dataUrl,
      AWS_ENDPOINT_URL_STS: `${dataUrl}/.sts`,
      AWS_ROLE_ARN: roleArn(),
      AWS_WEB_IDENTITY_TOKEN_FILE: keyFile,
    },
    credentials: await signIn(service, key),
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}
