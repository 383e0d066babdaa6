import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import type { BuiltSite } from '../assets/build-site.ts';
import type { Logo } from '../assets/logo.ts';
import { assetCaching, assetPolicy, assetsPath, type SiteEntries } from '../domain/site-assets.ts';
import { splitTarget } from './api-gateway/event.ts';
import type { Answer } from './api-gateway/server.ts';

let built: Promise<BuiltSite> | undefined;

/** Builds the site once per process, at its first use: 0.1 s that the start need not wait for. */
function loadSite(): Promise<BuiltSite> {
  built ??= import('../assets/build-site.ts').then(({ buildSite }) => buildSite());
  // A failed build is retried, because a developer may be editing the code.
  built.catch(() => {
    built = undefined;
  });
  return built;
}

export async function loadSiteEntries(): Promise<SiteEntries> {
  return (await loadSite()).entries;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Returns a file of the site as the distribution serves it from its bucket, or undefined for any other path. */
export async function serveAsset(request: IncomingMessage, logo?: Logo): Promise<Answer | undefined> {
  const { rawPath } = splitTarget(request);
  if (!rawPath.startsWith(assetsPath) || !['GET', 'HEAD'].includes(request.method ?? '')) return undefined;
  const name = rawPath.slice(assetsPath.length);
  const file = name === logo?.name ? logo.bytes : (await loadSite()).files.get(name);
  if (file === undefined) return { status: 404, headers: { 'cache-control': 'no-store' }, body: '' };
  return {
    status: 200,
    headers: {
      'content-type': types[path.extname(name)] ?? 'application/octet-stream',
      'cache-control': assetCaching,
      'content-security-policy': assetPolicy,
      'x-content-type-options': 'nosniff',
    },
    body: Buffer.from(file),
  };
}
