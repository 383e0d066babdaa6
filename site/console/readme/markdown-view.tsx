import type { RepositoryPath } from '../../../lib/domain/data/open-data.ts';
import { ContentElements } from '../../../lib/pages/site/file-content.tsx';
import { MarkdownText } from '../../../lib/pages/site/plain-text.tsx';
import type { DataSource } from '../../data/data-source.ts';
import { createElements } from '../../data-pages/elements.tsx';
import { configuration } from '../configuration.ts';

interface MarkdownViewProps {
  text: string;
  repository: RepositoryPath;
  source: DataSource;
  isOpen: boolean;
}

/**
 * Renders Markdown as the page of the repository does. Images in a repository that is not open are loaded with
 * credentials.
 */
export function MarkdownView({ text, repository, source, isOpen }: MarkdownViewProps) {
  const setting = { repository, folder: '', dataProxyUrl: configuration.data_url };
  const elements = isOpen ? undefined : createElements({ source, workerUrl: '', endsWith: () => false });
  return (
    <ContentElements.Provider value={elements}>
      <MarkdownText text={text} setting={setting} />
    </ContentElements.Provider>
  );
}
