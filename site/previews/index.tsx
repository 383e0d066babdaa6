import { render } from 'preact';
import { configurationElementId } from '../../lib/pages/site/console-configuration.ts';
import {
  type PreviewConfiguration,
  type ReadingLimits,
  type ScriptedKind,
  scriptedKinds,
} from '../../lib/pages/site/previews/scripted.ts';
import { fetchRanges } from './reading/ranges.ts';
import { readInWorker } from './reading/read-in-worker.ts';
import { refusalText } from './reading/refusal.ts';
import { PreviewView } from './view/preview-view.tsx';

start();

function start(): void {
  const element = document.getElementById('preview');
  const text = document.getElementById(configurationElementId)?.textContent;
  if (element === null || text === null || text === undefined) return;
  const configuration = JSON.parse(text) as PreviewConfiguration;
  void show(element, configuration, scriptedKinds[configuration.format].limits);
}

async function show(element: HTMLElement, configuration: PreviewConfiguration, limits: ReadingLimits): Promise<void> {
  const { format, url, bytes, worker_url } = configuration;
  element.setAttribute('aria-busy', 'true');
  try {
    const reading = { format, fileBytes: bytes, limits, readRange: fetchRanges(url) };
    const preview = await readInWorker(worker_url, reading);
    const { moreLimits }: ScriptedKind = scriptedKinds[format];
    const readMore =
      moreLimits === undefined || limits === moreLimits
        ? undefined
        : () => void show(element, configuration, moreLimits);
    render(<PreviewView preview={preview} readMore={readMore} />, element);
  } catch (error) {
    render(<p class="notice">{refusalText(error)}</p>, element);
  }
  element.removeAttribute('aria-busy');
}
