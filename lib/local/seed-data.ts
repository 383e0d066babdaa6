import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { signRequest } from '../sigv4/sign.ts';
import { exchangeSeedKey, seedNames } from './seed.ts';

const folder = path.join(import.meta.dirname, 'world-borders');

const types: Readonly<Record<string, string>> = {
  '.md': 'text/markdown; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.geojson': 'application/geo+json',
  '.parquet': 'application/vnd.apache.parquet',
  '.tif': 'image/tiff',
  '.pmtiles': 'application/vnd.pmtiles',
  '.png': 'image/png',
};

/**
 * Uploads a small real data set to the seeded open repository of world borders. It uses the data proxy, like a
 * publisher. A start with stored data keeps the files that are there.
 */
export async function publishSeedData({ dataUrl, key }: { dataUrl: string; key: string }): Promise<void> {
  const exchanged = await exchangeSeedKey(dataUrl, key, 'FullAccess');
  const text = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(exchanged)?.[1] ?? '';
  const credentials = {
    access_key_id: text('AccessKeyId'),
    secret_access_key: text('SecretAccessKey'),
    session_token: text('SessionToken'),
  };
  const upload = async (name: string): Promise<void> => {
    const body = await readFile(path.join(folder, name));
    const rawPath = `/${seedNames.organization_id}/${seedNames.data_repository_id}/${name}`;
    const type = types[path.extname(name)] ?? 'application/octet-stream';
    const given = { host: new URL(dataUrl).host, 'content-type': type, 'if-none-match': '*' };
    const headers = signRequest({ method: 'PUT', rawPath, rawQuery: '', headers: given }, credentials, {
      now: Date.now(),
      region: 'us-east-1',
      service: 's3',
      payloadHash: hash('sha256', body, 'hex'),
    });
    const response = await fetch(dataUrl + rawPath, { method: 'PUT', headers, body });
    if (!response.ok && response.status !== 412)
      throw new Error(`PUT ${rawPath} returned ${response.status}: ${await response.text()}`);
  };
  await Promise.all((await readdir(folder)).map(upload));
}
