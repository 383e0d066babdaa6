import { configurationElementId } from '../../lib/pages/site/console-configuration.ts';
import { parentFolder, repositoryPath } from '../../lib/pages/site/links.ts';
import type { PreviewConfiguration } from '../../lib/pages/site/previews/scripted.ts';
import { fetchFolder, fetchRanges } from './reading/ranges.ts';
import { showPreview } from './show-preview.tsx';

start();

function start(): void {
  const element = document.getElementById('preview');
  const text = document.getElementById(configurationElementId)?.textContent;
  if (element === null || text === null || text === undefined) return;
  const { format, url, bytes, worker_url, repository, key, is_framed } = JSON.parse(text) as PreviewConfiguration;
  const openReads = () => ({
    readRange: fetchRanges(url),
    folder: fetchFolder(url.slice(0, url.lastIndexOf('/') + 1)),
  });
  const folder = parentFolder(key);
  const pages = { hrefOf: (path: string) => repositoryPath(repository, folder + path), isFramed: is_framed };
  void showPreview(element, { format, bytes, workerUrl: worker_url, openReads, pages });
}
