import { absentTitle } from '../../lib/pages/site/absent.tsx';
import { AboutFile, FilePreview } from '../../lib/pages/site/file.tsx';
import { FileDownload, nameOf } from '../../lib/pages/site/file-content.tsx';
import { FolderByline, FolderList } from '../../lib/pages/site/folder.tsx';
import { formatBytes, shownName } from '../../lib/pages/site/format.ts';
import type { ShownPath } from '../../lib/pages/site/links.ts';
import { Title } from '../../lib/pages/site/parts.tsx';
import { EmptyFolder, Readme } from '../../lib/pages/site/repository.tsx';
import { Trail } from '../../lib/pages/site/repository-tile.tsx';
import type { DataSource } from '../data/data-source.ts';
import { readContents } from '../data-pages/contents.ts';
import type { DataPage } from '../data-pages/data-pages.tsx';
import type { SharedPart } from './shared-part.ts';

/** Reads and renders a folder or a file that a link shows. The page has no links to files outside the shared part. */
export async function readSharedPage(
  part: SharedPart,
  dataProxyUrl: string,
  shown: ShownPath,
  source: DataSource,
): Promise<DataPage> {
  const { account_id, repository_id, path } = shown;
  const { prefix, contains, hrefOf } = part;
  if (!contains(path)) return absent(part, 'The link does not show this', 'The link shows only a part of the data.');
  const repository = { account_id, repository_id };
  const setting = {
    repository,
    dataProxyUrl,
    hrefOf: (to: string) => (contains(to) ? hrefOf(to) : undefined),
  };
  const contents = await readContents(source, shown);
  if (contents.file !== undefined) {
    const file = { ...setting, ...contents.file, url: '' };
    return { title: shownName(nameOf(path)), body: <SharedFile part={part} file={file} /> };
  }
  const { folder } = contents.shown;
  if (contents.isMissing && folder !== prefix) {
    return absent(part, absentTitle(path), 'It was moved or deleted.');
  }
  const { readme, ...list } = contents.shown;
  const title = shownName(folder === prefix ? part.name : (folder.split('/').at(-2) ?? folder));
  const body = (
    <>
      <LinkTrail part={part} path={folder} />
      <Title>{title}</Title>
      <FolderByline {...list} />
      <FolderList {...list} top={prefix} hrefOf={hrefOf} empty={<EmptyFolder />} />
      {readme !== undefined && (
        <Readme readme={readme} href={hrefOf(readme.key)} title={title} setting={{ ...setting, folder }} />
      )}
    </>
  );
  return { title, body };
}

interface SharedFileProps {
  part: SharedPart;
  file: Parameters<typeof FilePreview>[0];
}

function SharedFile({ part, file }: SharedFileProps) {
  const { key, metadata } = file;
  return (
    <>
      <LinkTrail part={part} path={key} />
      <Title>{shownName(nameOf(key))}</Title>
      <p class="actions">
        <FileDownload fileKey={key} url={file.url} />
        <span class="soft">{formatBytes(metadata.bytes)}</span>
      </p>
      <div class="columns">
        <div>
          <FilePreview {...file} />
        </div>
        <aside>
          <AboutFile metadata={metadata} />
        </aside>
      </div>
    </>
  );
}

/** Renders breadcrumbs from the shared folder to a path below it. The page of the shared folder or file has none. */
export function LinkTrail({ part, path }: { part: SharedPart; path?: string }) {
  const { prefix, name, hrefOf } = part;
  if (path === prefix) return null;
  const names = (path ?? prefix).slice(prefix.length).split('/').filter(Boolean);
  const steps = names.map((each, index) => ({
    name: shownName(each),
    href: hrefOf(`${prefix}${names.slice(0, index + 1).join('/')}/`),
  }));
  return <Trail steps={[{ name: shownName(name), href: hrefOf(prefix) }, ...steps]} hasCurrent={path !== undefined} />;
}

function absent(part: SharedPart, title: string, sentence: string): DataPage {
  const body = (
    <>
      <LinkTrail part={part} />
      <section class="hero">
        <h1>{title}</h1>
        <p>{sentence}</p>
        {!part.isFile && (
          <p class="actions">
            <a class="button" href={part.hrefOf(part.prefix)}>
              Go to the shared files
            </a>
          </p>
        )}
      </section>
    </>
  );
  return { title, body };
}
