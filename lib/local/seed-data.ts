import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { signRequest } from '../sigv4/sign.ts';
import { exchangeSeedKey, seedNames } from './seed.ts';

const folder = path.join(import.meta.dirname, 'world-borders');

const types: Readonly<Record<string, string>> = {
  '.md': 'text/markdown; charset=utf-8',
  '.json': 'application/json',
  '.csv': 'text/csv; charset=utf-8',
  '.geojson': 'application/geo+json',
  '.parquet': 'application/vnd.apache.parquet',
  '.tif': 'image/tiff',
  '.pmtiles': 'application/vnd.pmtiles',
  '.png': 'image/png',
};

/** The keys and contents of files. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/**
 * Uploads a small real data set to the seeded open repository of world borders. Like a publisher, it uses the data
 * proxy. A start with stored data does not upload existing files again.
 */
export async function publishSeedData({ dataUrl, key }: { dataUrl: string; key: string }): Promise<void> {
  const names = await readdir(folder);
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))] as const)),
  );
  const upload = createUpload(dataUrl, await exchangeSeedKey(dataUrl, key, 'FullAccess'));
  await upload(`${seedNames.organization_id}/${seedNames.data_repository_id}`, files);
}

/**
 * Returns a function that uploads files to a repository, and skips files that exist. `exchanged` is the XML response of
 * a credential exchange.
 */
export function createUpload(dataUrl: string, exchanged: string) {
  const text = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(exchanged)?.[1] ?? '';
  const credentials = {
    access_key_id: text('AccessKeyId'),
    secret_access_key: text('SecretAccessKey'),
    session_token: text('SessionToken'),
  };
  const uploadFile = async (rawPath: string, body: string | Uint8Array): Promise<void> => {
    const type = types[path.extname(rawPath)] ?? 'application/octet-stream';
    const given = { host: new URL(dataUrl).host, 'content-type': type, 'if-none-match': '*' };
    const headers = signRequest({ method: 'PUT', rawPath, rawQuery: '', headers: given }, credentials, {
      now: Date.now(),
      region: 'us-east-1',
      service: 's3',
      payloadHash: hash('sha256', body, 'hex'),
    });
    const response = await fetch(dataUrl + rawPath, { method: 'PUT', headers, body: Buffer.from(body) });
    if (!response.ok && response.status !== 412)
      throw new Error(`PUT ${rawPath} returned ${response.status}: ${await response.text()}`);
  };
  return async (repository: string, files: Files): Promise<void> => {
    await Promise.all(Object.entries(files).map(([name, body]) => uploadFile(`/${repository}/${name}`, body)));
  };
}
