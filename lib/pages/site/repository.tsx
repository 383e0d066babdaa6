import type { ComponentChildren } from 'preact';
import type { Account } from '../../domain/accounts/accounts.ts';
import type { Inventory } from '../../domain/data/inventory.ts';
import { doiUrl, licenseUrl, tagsOf } from '../../domain/data/meta-values.ts';
import type { FolderPage, Unread } from '../../domain/data/open-data.ts';
import type { RepositoryVersion } from '../../domain/data/repository-versions.ts';
import type { ShownSite } from '../../domain/site.ts';
import { FileScriptedPreview } from './file-content.tsx';
import { FileIcon } from './file-icon.tsx';
import { FolderByline, FolderList } from './folder.tsx';
import { formatDay, shownName } from './format.ts';
import { inventoryRows } from './inventory.tsx';
import { accountPath, consoleRepositoryPath, repositoryPath, searchPath, withoutScheme } from './links.ts';
import type { MarkdownSetting } from './markdown.ts';
import { Card, ShareLink, Title } from './parts.tsx';
import { MarkdownText, withinBound } from './plain-text.tsx';
import { storeFileIn } from './previews/scripted.ts';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';
import { NamedValues } from './tables.tsx';
import { type RecipesFor, UseIt } from './use-it.tsx';
import { AboutVersion, HowToCite, VersionChoice } from './version.tsx';

export interface RepositoryView {
  site: Pick<ShownSite, 'name' | 'url'>;
  account: Pick<Account, 'account_id' | 'account_type' | 'profile'>;
  repository: ShownRepository;
  /** The newest versions of the repository. */
  versions: readonly RepositoryVersion[];
  dataProxyUrl: string;
  recipesFor: RecipesFor;
  /** The prefix of the shown folder. It is empty for the repository itself, and otherwise ends with a slash. */
  folder: string;
  page: FolderPage | Unread;
  isFirst: boolean;
  /** The README of the folder: its key and its text. */
  readme: { key: string; text: string } | undefined;
  /** The inventory of the repository. It describes the newest state, so a page of a version does not show it. */
  inventory?: Inventory | undefined;
  /**
   * A card with the public usage of the repository. Only the page that the server renders for the newest state has one.
   */
  usage?: ComponentChildren;
}

/** Returns the document's title for the page of a repository, of a version of it, or of a folder. */
export function repositoryTitle({ repository, folder }: Pick<RepositoryView, 'repository' | 'folder'>): string {
  const { meta, repository_id, shownVersion } = repository;
  const title = meta.title || repository_id;
  if (folder !== '') return `${shownName(folder)} · ${title}`;
  return shownVersion === undefined ? title : `${title}, version ${shownVersion.name}`;
}

/**
 * Returns true for a folder that contains an Icechunk store: snapshots, and a file or folder that refers to the newest
 * snapshot.
 */
function isIcechunkStore(folder: string, page: FolderPage | Unread): boolean {
  if (typeof page === 'string' || !page.folders.includes(`${folder}snapshots/`)) return false;
  return page.folders.includes(`${folder}refs/`) || page.files.some(({ key }) => key === `${folder}repo`);
}

export function RepositoryBody(view: RepositoryView) {
  const { site, account, repository, versions, dataProxyUrl, folder, page, isFirst, readme } = view;
  const { meta, repository_id, shownVersion } = repository;
  const inventory = shownVersion === undefined ? view.inventory : undefined;
  const title = meta.title || repository_id;
  const isRoot = folder === '';
  const isOpen = repository.data_mode === 'open';
  const hrefOf = (path: string, cursor?: string) => repositoryPath(repository, path, cursor);
  const empty = isRoot ? <EmptyRepository repository={repository} /> : <EmptyFolder />;
  const listing = withinBound(<FolderList {...{ folder, page, isFirst, inventory, hrefOf, empty }} />, () =>
    namesOf(page),
  );
  const keysInFolder = (typeof page === 'string' ? [] : page.files).flatMap(({ key, bytes }) =>
    bytes > 0 ? [key] : [],
  );
  // The inventory counts formats only for the whole repository. A folder whose name contains `=`, such as `year=2026`,
  // is usually a part of one table, so it probably contains Parquet files too.
  const hasParquet = inventory?.formats?.some(({ format }) => format === 'parquet') === true;
  const hasParquetBelow =
    hasParquet && (isRoot || (typeof page !== 'string' && page.folders.some((name) => name.includes('='))));
  const isIcechunk = isIcechunkStore(folder, page);
  const recipes = view.recipesFor(dataProxyUrl, repository, folder, { keysInFolder, hasParquetBelow, isIcechunk });
  const store = typeof page === 'string' ? undefined : storeFileIn(folder, page.files);
  const content = (
    <>
      {store !== undefined && <FileScriptedPreview repository={repository} fileKey={store.key} bytes={store.bytes} />}
      {listing}
      {readme !== undefined && (
        <Readme
          readme={readme}
          href={repositoryPath(repository, readme.key)}
          title={title}
          setting={{ repository, folder, dataProxyUrl }}
        />
      )}
      <UseIt recipes={recipes} name={folder.split('/').at(-2) ?? repository_id} isSigned={!isOpen} />
    </>
  );
  const citable = shownVersion && { site, account, repository, version: shownVersion };
  const choice = <VersionChoice repository={repository} path={folder} versions={versions} />;
  return (
    <>
      <Crumbs repository={repository} path={folder} />
      <Title>{isRoot ? title : (folder.split('/').at(-2) ?? folder)}</Title>
      {isRoot ? (
        <>
          <Byline repository={repository} account={account} />
          {meta.description && <p class="lead">{meta.description}</p>}
          <Tags tags={tagsOf(meta.tags)} />
          {choice}
          <div class="columns">
            <div>
              <h2>Files</h2>
              {content}
            </div>
            <aside>
              {citable !== undefined && (
                <>
                  <AboutVersion version={citable.version} />
                  <HowToCite {...citable} />
                </>
              )}
              <About repository={repository} account={account} inventory={inventory} />
              {view.usage}
              {citable === undefined && <Citation {...{ site, account, repository }} />}
            </aside>
          </div>
        </>
      ) : (
        <>
          <FolderByline {...{ folder, page, isFirst, inventory }}>
            <span>
              <a href="#use">Use this data</a>
            </span>
            <ShareLink repository={repository} path={folder} />
          </FolderByline>
          {choice}
          {content}
        </>
      )}
    </>
  );
}

export function EmptyFolder() {
  return <p class="notice">This folder is empty.</p>;
}

function EmptyRepository({ repository }: Pick<RepositoryView, 'repository'>) {
  return (
    <div class="notice">
      <p>
        <strong>This repository is empty.</strong>
      </p>
      <p>
        Maintainers <a href={`${consoleRepositoryPath(repository)}/files`}>upload files in the console</a> or with any
        S3 client.
      </p>
    </div>
  );
}

interface ReadmeProps {
  readme: NonNullable<RepositoryView['readme']>;
  /** The URL of the page that shows the README file. */
  href: string;
  /** The title of the page. The README's first heading is not shown if it equals the title. */
  title: string;
  setting: MarkdownSetting;
}

/** Shows the README of a folder. */
export function Readme({ readme, href, title, setting }: ReadmeProps) {
  return (
    <section class="readme" aria-label="README">
      <h2>
        <FileIcon fileKey={readme.key} />
        <a href={href}>{shownName(readme.key.slice(setting.folder.length))}</a>
      </h2>
      <MarkdownText text={withoutTitle(readme.text, title)} setting={setting} hasContents />
    </section>
  );
}

function namesOf(page: FolderPage | Unread): string {
  if (typeof page === 'string') return '';
  return [...page.folders, ...page.files.map(({ key }) => key)].map(shownName).join('\n');
}

/**
 * Shows what readers want to know first: the owner, the license, and the dates of publication and of the last change.
 */
function Byline({ repository, account }: Pick<RepositoryView, 'repository' | 'account'>) {
  const { meta, published, updated } = repository;
  return (
    <p class="byline">
      <span>
        <a href={accountPath(account.account_id)}>{account.profile.name ?? account.account_id}</a>
      </span>
      {meta.license !== undefined && <span>{meta.license}</span>}
      <span>Updated {formatDay(updated ?? published)}</span>
      <span>
        <a href="#use">Use this data</a>
      </span>
      <ShareLink repository={repository} />
    </p>
  );
}

/** Removes the README's first heading if it equals the title, because the page already shows the title. */
function withoutTitle(text: string, title: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  const isTitle =
    line.length < 500 &&
    line
      .replace(/^#[ \t]/, '')
      .trim()
      .toLowerCase() === title.toLowerCase();
  return isTitle && line.startsWith('#') ? text.trimStart().slice(line.length) : text;
}

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul class="tags">
      {tags.map((tag) => (
        <li key={tag}>
          <a href={searchPath({ tag })}>{tag}</a>
        </li>
      ))}
    </ul>
  );
}

function About({ repository, account, inventory }: Pick<RepositoryView, 'repository' | 'account' | 'inventory'>) {
  const { meta, published, updated } = repository;
  const link = (href: string) => (
    <a href={href} rel="nofollow noopener">
      {withoutScheme(href)}
    </a>
  );
  const day = (time: string) => <time datetime={time}>{formatDay(time)}</time>;
  return (
    <Card title="About">
      <NamedValues
        rows={[
          [
            account.account_type === 'user' ? 'User' : 'Organization',
            <a href={accountPath(account.account_id)}>{account.profile.name ?? account.account_id}</a>,
          ],
          ['License', <License license={meta.license} />],
          [
            'DOI',
            meta.doi && (
              <a href={doiUrl(meta.doi)} rel="noopener">
                {meta.doi}
              </a>
            ),
          ],
          ['Homepage', meta.homepage && link(meta.homepage)],
          ['Documentation', meta.documentation && link(meta.documentation)],
          ['Contact', meta.contact && <Contact contact={meta.contact} />],
          ['Keywords', meta.keywords?.join(', ')],
          ['Published', day(published)],
          ['Updated', updated && day(updated)],
          ...inventoryRows(inventory),
        ]}
      />
    </Card>
  );
}

/** Shows the citation that the publisher chose, or one made of the names, the year, and the URL. */
function Citation({ site, account, repository }: Pick<RepositoryView, 'site' | 'account' | 'repository'>) {
  const { meta, published, updated, repository_id } = repository;
  const year = formatDay(updated ?? published).slice(0, 4);
  const url = meta.doi === undefined ? site.url + repositoryPath(repository) : doiUrl(meta.doi);
  const author = account.profile.name ?? account.account_id;
  const text = meta.citation || `${author} (${year}). ${meta.title || repository_id}. ${site.name}. ${url}`;
  return (
    <Card title="How to cite">
      <p class="selected" data-copy="the citation">
        {text}
      </p>
    </Card>
  );
}

function Contact({ contact }: { contact: string }) {
  const isMail = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(contact);
  return isMail ? <a href={`mailto:${contact}`}>{contact}</a> : contact;
}

function License({ license }: { license: string | undefined }) {
  if (license === undefined) return <span class="soft">No license. Ask the publisher before you reuse the data.</span>;
  const url = licenseUrl(license);
  if (url === undefined) return license;
  return (
    <a href={url} rel="license noopener">
      {license}
    </a>
  );
}
