import type { FileMetadata } from '../../domain/data/open-data.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { formatBytes, formatCount, formatMinute, shownName } from './format.ts';
import { dataUrl, previewPath, repositoryPath } from './links.ts';
import { previewKindOf, separatorOfFile } from './previews/kinds.tsx';
import { scriptedFormatOf } from './previews/scripted.ts';
import { previewPageTexts } from './previews/sentences.ts';
import { trailOf } from './repository.tsx';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';
import { Card, renderSitePage, Title } from './shell.tsx';
import { NamedValues } from './tables.tsx';
import { texts } from './texts.ts';
import { recipesFor, UseIt } from './use-it.tsx';

export interface FileView {
  site: ShownSite;
  repository: ShownRepository;
  dataProxyUrl: string;
  key: string;
  metadata: FileMetadata;
  /** The first bytes, for kinds that the server previews; undefined if they could not be read. */
  beginning: Uint8Array | undefined;
}

export function filePage(view: FileView): HtmlPage {
  const { site, repository, dataProxyUrl, key, metadata } = view;
  const url = dataUrl(dataProxyUrl, repository, key);
  const name = key.split('/').at(-1) ?? key;
  const hasScript = metadata.bytes > 0 && scriptedFormatOf(key) !== undefined;
  const body = (
    <>
      <Crumbs account_id={repository.account_id} trail={trailOf(repository, key)} />
      <Title>{shownName(name)}</Title>
      <p class="actions">
        <a class="button" href={url} download={name}>
          {texts.download}
        </a>
        <span class="soft">{formatBytes(metadata.bytes)}</span>
      </p>
      <div class="columns">
        <div>
          <h2>{texts.preview}</h2>
          {hasScript && <ScriptedPreview repository={repository} path={key} />}
          {previewOf(view, url, hasScript)}
          <UseIt recipes={recipesFor(dataProxyUrl, repository, key, { separator: separatorOfFile(view) })} />
        </div>
        <aside>
          <About metadata={metadata} url={url} />
        </aside>
      </div>
    </>
  );
  return renderSitePage({
    site,
    title: `${shownName(name)} · ${repository.meta.title || repository.repository_id}`,
    description: `${key}, ${formatBytes(metadata.bytes)}`,
    canonical: repositoryPath(repository, key),
    dataOrigin: new URL(dataProxyUrl).origin,
    framesPages: hasScript,
    body,
  });
}

/**
 * Renders the server's preview of the file. It is collapsed below a scripted preview, because the same content twice
 * would confuse readers.
 */
function previewOf({ repository, dataProxyUrl, key, metadata, beginning }: FileView, url: string, hasScript: boolean) {
  if (metadata.bytes === 0) return <p class="notice">{texts.emptyFile}</p>;
  const kind = previewKindOf(key, metadata.bytes);
  if (kind === undefined || (kind.bytesRead > 0 && beginning === undefined)) {
    if (hasScript) return null;
    return <p class="notice">{kind === undefined ? texts.noPreview : texts.previewUnavailable}</p>;
  }
  const shown = kind.show({ place: repository, key, metadata, url, dataProxyUrl, beginning });
  return hasScript ? (
    <details class="preview">
      <summary>{previewPageTexts.openText}</summary>
      {shown}
    </details>
  ) : (
    shown
  );
}

/** The browser loads the preview only when the reader opens it. */
function ScriptedPreview({ repository, path }: { repository: ShownRepository; path: string }) {
  return (
    <details class="preview">
      <summary>{previewPageTexts.open}</summary>
      <iframe class="preview-frame" loading="lazy" src={previewPath(repository, path, true)} title={texts.preview} />
      <p>
        <a href={previewPath(repository, path)}>{previewPageTexts.openAlone}</a>
      </p>
    </details>
  );
}

function About({ metadata, url }: { metadata: FileMetadata; url: string }) {
  const { bytes, modified, type, etag, checksums } = metadata;
  const code = (text: string) => <code>{text}</code>;
  return (
    <Card title={texts.about}>
      <NamedValues
        rows={[
          [texts.size, `${formatBytes(bytes)}${bytes > 999 ? ` ${texts.exactBytes(formatCount(bytes))}` : ''}`],
          [texts.type, type],
          [texts.modified, formatMinute(modified)],
          ...Object.entries(checksums).map(([name, value]) => [name, code(value)] as const),
          [texts.etag, etag && code(etag.replaceAll('"', ''))],
          [texts.link, <a href={url}>{url}</a>],
        ]}
      />
    </Card>
  );
}
