import type { Account } from '../../domain/accounts/accounts.ts';
import type { CatalogueTotals } from '../../domain/data/search-entries.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { Avatar } from './avatar.tsx';
import { catalogueRules } from './catalogue-design.ts';
import { accountPath, withoutScheme } from './links.ts';
import { ManageLink } from './manage-link.tsx';
import { Title } from './parts.tsx';
import { Pager, RepositoryGrid, type ShownRepository, Totals } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';

export interface AccountView {
  site: ShownSite;
  account: Pick<Account, 'account_id' | 'account_type' | 'profile'>;
  repositories: readonly ShownRepository[];
  /** The totals of the account's repositories in the catalogue. Undefined while the search index is unavailable. */
  totals: CatalogueTotals | undefined;
  dataProxyUrl: string;
  next: string | undefined;
  isFirst: boolean;
}

export function accountPage({
  site,
  account,
  repositories,
  totals,
  dataProxyUrl,
  next,
  isFirst,
}: AccountView): HtmlPage {
  const { account_id, account_type, profile } = account;
  const path = accountPath(account_id);
  const name = profile.name ?? account_id;
  const isUser = account_type === 'user';
  const body = (
    <>
      <div class="title">
        <Avatar of={{ account_id, account_type, name }} size="large" />
        <Title>{name}</Title>
        <ManageLink path={`/accounts/${account_id}`} />
      </div>
      <p class="byline">
        <span>{account_id}</span>
        <span>{isUser ? 'User' : 'Organization'}</span>
        {profile.location && <span>{profile.location}</span>}
        {profile.url && (
          <span>
            <a href={profile.url} rel="nofollow noopener">
              {withoutScheme(profile.url)}
            </a>
          </span>
        )}
      </p>
      {profile.bio && <p class="lead">{profile.bio}</p>}
      {totals !== undefined && <Totals totals={totals} />}
      <section class="block">
        <h2>Repositories</h2>
        {(repositories.length > 1 || next !== undefined || !isFirst) && (
          <form class="filters" action="/-/search" method="get">
            <label class="words">
              <span>Search the repositories of {name}</span>
              <input type="search" name="q" />
            </label>
            <input type="hidden" name="account_id" value={account_id} />
            <button type="submit" class="button">
              Search
            </button>
          </form>
        )}
        {repositories.length === 0 ? (
          <p class="notice">This account has no public repositories.</p>
        ) : (
          <RepositoryGrid repositories={repositories} dataProxyUrl={dataProxyUrl} />
        )}
        <Pager
          first={isFirst ? undefined : path}
          next={next === undefined ? undefined : `${path}?${new URLSearchParams({ cursor: next })}`}
        />
      </section>
    </>
  );
  const metadata = {
    '@context': 'https://schema.org',
    '@type': isUser ? 'Person' : 'Organization',
    '@id': site.url + path,
    url: site.url + path,
    name,
    ...(profile.bio ? { description: profile.bio } : {}),
    ...(profile.url ? { sameAs: profile.url } : {}),
  };
  return renderSitePage({
    site,
    dataOrigin: new URL(dataProxyUrl).origin,
    rules: catalogueRules,
    title: name,
    description: profile.bio ?? undefined,
    canonical: path,
    isIndexed: isFirst,
    metadata,
    body,
  });
}
