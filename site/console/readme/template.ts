import { formatBytes, formatCount } from '../../../lib/pages/site/format.ts';
import type { Inventory, Schemas } from '../api/client.ts';
import type { FoundReadme } from './readme-data.ts';

interface TemplateData {
  repository: Pick<Schemas['Repository'], 'meta' | 'repository_id'>;
  inventory: Inventory | undefined;
  top: FoundReadme['top'];
  /** The URL of the repository's page. */
  page: string;
}

const namesMax = 20;

/** Returns the text of a new README: title, description, files, license, and how to cite. */
export function readmeTemplate({ repository: { meta, repository_id }, inventory, top, page }: TemplateData): string {
  const title = meta.title || repository_id;
  const names = [...top.folders, ...top.files.map(({ key }) => key)];
  const { files, bytes = 0, formats = [] } = inventory ?? {};
  const kinds = formats.slice(0, 5).map(({ format }) => format || 'without an extension');
  return [
    `# ${title}`,
    meta.description || 'Say what the data is, where it comes from, and when it changes.',
    '## Files',
    files !== undefined &&
      `${formatCount(files)} files, ${formatBytes(bytes)}${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}.`,
    names.length > 0 && listOf(names),
    '## License',
    meta.license ?? 'Say what others may do with the data.',
    '## How to cite',
    meta.citation ?? `${title}. ${page}${meta.doi ? `, https://doi.org/${meta.doi}` : ''}`,
    '',
  ]
    .filter((part) => part !== false)
    .join('\n\n');
}

function listOf(names: readonly string[]): string {
  const lines = names.slice(0, namesMax).map((name) => `- \`${name.replaceAll('`', "'")}\`: `);
  return [...lines, ...(names.length > namesMax ? ['- and more'] : [])].join('\n');
}
