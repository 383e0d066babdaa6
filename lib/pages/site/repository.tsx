import type { Account } from '../../domain/accounts/accounts.ts';
import type { FolderPage, Unread } from '../../domain/data/open-data.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { datasetMetadata, licenseUrl } from './dataset-metadata.ts';
import { FolderByline, FolderList } from './folder.tsx';
import { formatDay, shownName, tagsOf } from './format.ts';
import { accountPath, repositoryPath, searchPath, withoutScheme } from './links.ts';
import { MarkdownText, withinBound } from './plain-text.tsx';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';
import { Card, renderSitePage, Title } from './shell.tsx';
import { NamedValues } from './tables.tsx';
import { texts } from './texts.ts';
import { recipesFor, UseIt } from './use-it.tsx';

export interface RepositoryView {
  site: ShownSite;
  account: Pick<Account, 'account_id' | 'account_type' | 'profile'>;
  repository: ShownRepository;
  dataProxyUrl: string;
  /** Empty for the repository itself; otherwise ends with a slash. */
  folder: string;
  page: FolderPage | Unread;
  isFirst: boolean;
  /** The README of the folder: its key and its text. */
  readme: { key: string; text: string } | undefined;
}

export function repositoryPage(view: RepositoryView): HtmlPage {
  const { site, account, repository, dataProxyUrl, folder, page, isFirst, readme } = view;
  const { meta, repository_id } = repository;
  const title = meta.title || repository_id;
  const isRoot = folder === '';
  const listing = withinBound(<FolderList place={repository} folder={folder} page={page} isFirst={isFirst} />, () =>
    namesOf(page),
  );
  const text = readme !== undefined && (
    <section class="block" aria-label={texts.readme}>
      <MarkdownText text={withoutTitle(readme.text, title)} setting={{ place: repository, folder, dataProxyUrl }} />
    </section>
  );
  const files = typeof page === 'string' ? undefined : page;
  const keysInFolder = (files?.files ?? []).flatMap(({ key, bytes }) => (bytes > 0 ? [key] : []));
  const recipes = recipesFor(dataProxyUrl, repository, folder, { keysInFolder });
  const body = (
    <>
      <Crumbs account_id={repository.account_id} trail={trailOf(repository, folder)} />
      {isRoot ? (
        <>
          <Title>{title}</Title>
          <Byline repository={repository} account={account} />
          {meta.description && <p class="lead">{meta.description}</p>}
          <Tags tags={tagsOf(meta.tags)} />
          <div class="columns">
            <div>
              <h2>{texts.files}</h2>
              {listing}
              <UseIt recipes={recipes} />
              {text}
            </div>
            <aside>
              <About repository={repository} account={account} />
            </aside>
          </div>
        </>
      ) : (
        <>
          <Title>{folder.split('/').at(-2) ?? folder}</Title>
          <FolderByline folder={folder} page={page} isFirst={isFirst} />
          {listing}
          <UseIt recipes={recipes} />
          {text}
        </>
      )}
    </>
  );
  return renderSitePage({
    site,
    title: isRoot ? title : `${folder} · ${title}`,
    description: meta.description || undefined,
    canonical: repositoryPath(repository, folder),
    dataOrigin: new URL(dataProxyUrl).origin,
    isIndexed: isFirst && page !== 'absent',
    metadata: isRoot && isFirst ? datasetMetadata({ site, repository, account, dataProxyUrl, files }) : undefined,
    body,
  });
}

function namesOf(page: FolderPage | Unread): string {
  if (typeof page === 'string') return '';
  return [...page.folders, ...page.files.map(({ key }) => key)].map(shownName).join('\n');
}

/** Returns the breadcrumbs from the repository to the current path. The last one is not a link. */
export function trailOf(repository: ShownRepository, path: string): { name: string; href?: string }[] {
  const parts = path.split('/').filter((part) => part !== '');
  const inside = parts.map((name, index) => ({
    name,
    href: repositoryPath(repository, `${parts.slice(0, index + 1).join('/')}/`),
  }));
  const all = [{ name: repository.repository_id, href: repositoryPath(repository) }, ...inside];
  return all.map(({ name, href }, index) => (index === all.length - 1 ? { name } : { name, href }));
}

/** Shows the first questions of a reader: the owner, the license, and the age. */
function Byline({ repository, account }: Pick<RepositoryView, 'repository' | 'account'>) {
  const { meta, published, updated } = repository;
  return (
    <p class="byline">
      <span>
        <a href={accountPath(account.account_id)}>{account.profile.name ?? account.account_id}</a>
      </span>
      {meta.license !== undefined && <span>{meta.license}</span>}
      <span>
        {texts.updated} {formatDay(updated ?? published)}
      </span>
      <span>
        <a href="#use">{texts.howToUse}</a>
      </span>
    </p>
  );
}

/** Removes the first heading if it equals the title, which the page already shows. */
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

function About({ repository, account }: Pick<RepositoryView, 'repository' | 'account'>) {
  const { meta, published, updated } = repository;
  const link = (href: string) => (
    <a href={href} rel="nofollow noopener">
      {withoutScheme(href)}
    </a>
  );
  const day = (time: string) => <time datetime={time}>{formatDay(time)}</time>;
  return (
    <>
      <Card title={texts.about}>
        <NamedValues
          rows={[
            [
              account.account_type === 'user' ? texts.user : texts.organization,
              <a href={accountPath(account.account_id)}>{account.profile.name ?? account.account_id}</a>,
            ],
            [texts.license, <License license={meta.license} />],
            [
              texts.doi,
              meta.doi && (
                <a href={`https://doi.org/${encodeURI(meta.doi)}`} rel="noopener">
                  {meta.doi}
                </a>
              ),
            ],
            [texts.homepage, meta.homepage && link(meta.homepage)],
            [texts.documentation, meta.documentation && link(meta.documentation)],
            [texts.contact, meta.contact && <Contact contact={meta.contact} />],
            [texts.keywords, meta.keywords?.join(', ')],
            [texts.published, day(published)],
            [texts.updated, updated && day(updated)],
          ]}
        />
      </Card>
      {meta.citation && (
        <Card title={texts.citation}>
          <p>{meta.citation}</p>
        </Card>
      )}
    </>
  );
}

function Contact({ contact }: { contact: string }) {
  const isMail = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(contact);
  return isMail ? <a href={`mailto:${contact}`}>{contact}</a> : contact;
}

function License({ license }: { license: string | undefined }) {
  if (license === undefined) return <span class="soft">{texts.noLicense}</span>;
  const url = licenseUrl(license);
  if (url === license) return license;
  return (
    <a href={url} rel="license noopener">
      {license}
    </a>
  );
}
