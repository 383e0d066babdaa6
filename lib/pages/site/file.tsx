import type { ComponentChildren } from 'preact';
import type { FileMetadata } from '../../domain/data/open-data.ts';
import type { RepositoryVersion } from '../../domain/data/repository-versions.ts';
import { FileDownload, FileScriptedPreview, nameOf } from './file-content.tsx';
import { checksumHex, formatBytes, formatCount, formatMinute, shownName } from './format.ts';
import { dataUrl } from './links.ts';
import { Card, ShareLink, Title } from './parts.tsx';
import { Folded } from './previews/folded.tsx';
import { type PreviewedFile, previewKindOf, separatorOfFile } from './previews/kinds.tsx';
import { scriptedFormatOf } from './previews/scripted.ts';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';
import { NamedValues } from './tables.tsx';
import { type RecipesFor, UseIt } from './use-it.tsx';
import { VersionChoice } from './version.tsx';

export interface FileView extends Omit<PreviewedFile, 'url'> {
  repository: ShownRepository;
  /** The newest versions of the repository. */
  versions: readonly RepositoryVersion[];
  recipesFor: RecipesFor;
}

/** Returns the document's title for the page of a file. */
export function fileTitle({ repository, key }: Pick<FileView, 'repository' | 'key'>): string {
  return `${shownName(nameOf(key))} · ${repository.meta.title || repository.repository_id}`;
}

export function FileBody(view: FileView) {
  const { repository, versions, dataProxyUrl, key, metadata } = view;
  const { bytes } = metadata;
  const url = dataUrl(dataProxyUrl, repository, key);
  const isOpen = repository.data_mode === 'open';
  const shownUrl = (
    <a href={url} data-copy="the URL">
      {url}
    </a>
  );
  const recipes = view.recipesFor(dataProxyUrl, repository, key, { separator: separatorOfFile(view) });
  return (
    <>
      <Crumbs repository={repository} path={key} />
      <Title>{shownName(nameOf(key))}</Title>
      <VersionChoice repository={repository} path={key} versions={versions} />
      <p class="actions">
        <FileDownload fileKey={key} url={url} />
        <span class="soft">{formatBytes(bytes)}</span>
        <ShareLink repository={repository} path={key} />
      </p>
      <div class="columns">
        <div>
          <FilePreview {...view} url={url} />
          <UseIt recipes={recipes} name={nameOf(key)} isSigned={!isOpen} />
        </div>
        <aside>
          <AboutFile metadata={metadata} url={isOpen ? shownUrl : url} />
        </aside>
      </div>
    </>
  );
}

/** Shows the content of a file, as far as the site can. */
export function FilePreview(file: PreviewedFile) {
  const { repository, key, metadata, hrefOf } = file;
  const hasScript = hasScriptedPreview(file);
  return (
    <>
      <h2>Preview</h2>
      {hasScript && <FileScriptedPreview {...{ repository, hrefOf }} fileKey={key} bytes={metadata.bytes} />}
      {previewOf(file, hasScript)}
    </>
  );
}

/**
 * Returns true if a script in the browser shows the file. A small table needs no script, because the page already has
 * all its rows.
 */
function hasScriptedPreview({ key, metadata, beginning }: PreviewedFile): boolean {
  const isWhole = previewKindOf(key, metadata.bytes)?.isWhole?.({ key, metadata, beginning }) === true;
  return metadata.bytes > 0 && scriptedFormatOf(key) !== undefined && !isWhole;
}

/**
 * Renders the preview that the server creates. If the page also has a preview by a script, the server's preview is
 * collapsed below it, because showing the content twice would confuse readers.
 */
function previewOf(file: PreviewedFile, hasScript: boolean) {
  const { key, metadata, beginning } = file;
  if (metadata.bytes === 0) return <p class="notice">This file is empty.</p>;
  const kind = previewKindOf(key, metadata.bytes);
  const isRead = kind !== undefined && (kind.bytesRead === 0 || beginning !== undefined);
  if (isRead) {
    const shown = kind.show(file);
    const label = kind.isWhole === undefined ? 'Show the text of the file' : 'Show the first rows without a script';
    return hasScript && kind.isBeside !== true ? <Folded label={label}>{shown}</Folded> : shown;
  }
  if (hasScript) return null;
  const absent = 'There is no preview for this file type. Download the file, or use one of the tools below.';
  return <p class="notice">{kind ? 'The preview is not available. Try again in a moment.' : absent}</p>;
}

interface AboutFileProps {
  metadata: FileMetadata;
  /** The URL of the file's content on the data host. Absent if readers cannot use it. */
  url?: ComponentChildren;
}

/** Shows the metadata of a file. */
export function AboutFile({ metadata, url }: AboutFileProps) {
  const { bytes, modified, type, etag, checksums } = metadata;
  const code = (text: string, name: string) => <code data-copy={`the ${name}`}>{text}</code>;
  return (
    <Card title="About">
      <NamedValues
        rows={[
          ['Size', `${formatBytes(bytes)}${bytes > 999 ? ` (${formatCount(bytes)} bytes)` : ''}`],
          ['Type', type],
          ['Modified', formatMinute(modified)],
          ...Object.entries(checksums).map(
            ([name, value]) => [`${name} (hex)`, code(checksumHex(value), name)] as const,
          ),
          ['ETag', etag && code(etag.replaceAll('"', ''), 'ETag')],
          ['URL', url],
        ]}
      />
    </Card>
  );
}
