import { type ComponentType, createContext } from 'preact';
import type { RepositoryPath } from '../../domain/data/open-data.ts';
import { previewPath, repositoryPath } from './links.ts';
import { Folded } from './previews/folded.tsx';
import { firstReadBytes } from './previews/scripted.ts';

/** Returns the URL of a file's page. Returns undefined for a file that the reader cannot open. */
type HrefOf = (key: string) => string | undefined;

/**
 * The elements that show the content of files for which readers need credentials. A browser cannot load these files by
 * URL, so the elements read them with the credentials first. `fileKey` is the key of a file in the repository.
 */
export interface CredentialedContent {
  Image: ComponentType<{ fileKey: string; bytes: number }>;
  Document: ComponentType<{ fileKey: string }>;
  ScriptedPreview: ComponentType<{ fileKey: string; bytes: number; hrefOf: HrefOf }>;
  Download: ComponentType<{ fileKey: string }>;
  /**
   * Loads the images in rendered Markdown. Their elements contain the key of the image file in the attribute
   * `data-key`.
   */
  loadImages: (element: HTMLElement | null) => void;
}

/**
 * The elements for files that need credentials. Undefined on pages of open repositories, because anyone can load their
 * files by URL.
 */
export const ContentElements = createContext<CredentialedContent | undefined>(undefined);

interface FileProps {
  fileKey: string;
  /** The URL of the file's content on the data host. */
  url: string;
  bytes: number;
}

export function FileImage({ fileKey, url, bytes }: FileProps) {
  return (
    <ContentElements.Consumer>
      {(elements) =>
        elements === undefined ? (
          <img class="preview-image" loading="lazy" src={url} alt={nameOf(fileKey)} />
        ) : (
          <elements.Image fileKey={fileKey} bytes={bytes} />
        )
      }
    </ContentElements.Consumer>
  );
}

/** Shows a document, such as a PDF file, in the browser's own viewer. */
export function FileDocument({ fileKey, url }: Omit<FileProps, 'bytes'>) {
  return (
    <ContentElements.Consumer>
      {(elements) =>
        elements === undefined ? (
          <iframe class="preview-frame" loading="lazy" src={url} title={nameOf(fileKey)} />
        ) : (
          <elements.Document fileKey={fileKey} />
        )
      }
    </ContentElements.Consumer>
  );
}

/** Shows a file by a script that reads parts of it. */
export function FileScriptedPreview({
  repository,
  fileKey,
  bytes,
  hrefOf = (key) => repositoryPath(repository, key),
}: Omit<FileProps, 'url'> & { repository: RepositoryPath; hrefOf?: HrefOf | undefined }) {
  return (
    <ContentElements.Consumer>
      {(elements) => (
        <Folded bytes={firstReadBytes(fileKey, bytes)}>
          {elements === undefined ? (
            <>
              <iframe
                class="preview-frame"
                loading="lazy"
                src={previewPath(repository, fileKey, true)}
                title="Preview"
              />
              <p>
                <a href={previewPath(repository, fileKey)}>Open full screen</a>
              </p>
            </>
          ) : (
            <elements.ScriptedPreview fileKey={fileKey} bytes={bytes} hrefOf={hrefOf} />
          )}
        </Folded>
      )}
    </ContentElements.Consumer>
  );
}

export function FileDownload({ fileKey, url }: Omit<FileProps, 'bytes'>) {
  return (
    <ContentElements.Consumer>
      {(elements) =>
        elements === undefined ? (
          <a class="button" href={url} download={nameOf(fileKey)}>
            Download
          </a>
        ) : (
          <elements.Download fileKey={fileKey} />
        )
      }
    </ContentElements.Consumer>
  );
}

/** Returns the name of a file without its folders. */
export function nameOf(key: string): string {
  return key.split('/').at(-1) ?? key;
}
