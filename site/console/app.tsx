import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { isOutdated, loadChunk } from './chunks.ts';
import { Button } from './components/button.tsx';
import { LeaveDialog } from './components/leave-dialog.tsx';
import { Loaded, type Loading, LoadingNote, useLoading } from './components/loaded.tsx';
import { clearNotices, Notices } from './components/notices.tsx';
import { configuration } from './configuration.ts';
import { Crumbs, Sections, Tabs } from './frame.tsx';
import { pathOf } from './path-patterns.ts';
import { administers, loadPlatformPermissions, type May } from './platform/permissions.ts';
import { currentLocation, hrefOf } from './router.ts';
import {
  type AccountViewProps,
  findRoute,
  isOpenRoute,
  isOpenTo,
  type RepositoryViewProps,
  type Route,
  tabAbove,
  type ViewProps,
} from './routes.ts';
import { type AccountScope, loadAccount, loadRepository, type RepositoryScope } from './scopes.ts';
import { isSignedIn, prepareRenewal } from './sign-in/session.ts';
import { SignInView } from './sign-in/view.tsx';
import { isWithin, loadUser, userLoading } from './signed-in-user.ts';
import { setTitle } from './tab-title.ts';
import { texts } from './texts.ts';

/** Renders the console: the sign-in page, the page for the first account, or the view of the current path. */
export function Console() {
  const isIn = isSignedIn.value;
  useEffect(() => {
    // Load the code that renews tokens now, because a deployment may delete its file from the server before the tokens
    // expire.
    if (isIn) {
      void loadUser().then(() => {
        prepareRenewal();
        // The account menu shows administrators a link to the administration view.
        void loadPlatformPermissions().catch(() => undefined);
      });
    }
  }, [isIn]);
  const isOpen = isOpenRoute(currentLocation.value.path);
  if (!isIn)
    return (
      <>
        <Outdated />
        {isOpen ? (
          <>
            <Notices />
            <Routed />
            <LeaveDialog />
          </>
        ) : (
          <SignInView />
        )}
      </>
    );
  return (
    <>
      <Outdated />
      <Notices />
      <Loaded loading={userLoading}>
        {(who) => (
          <>
            {who.account?.disabled && <OwnBanner account={who.account} />}
            {who.account === null && !isOpen ? <FirstAccount /> : <Routed />}
          </>
        )}
      </Loaded>
      <LeaveDialog />
    </>
  );
}

/**
 * Offers to reload the page when a deployment has deleted files of this version. The current view stays until the user
 * reloads, because an upload may be running in it.
 */
function Outdated() {
  if (!isOutdated.value) return null;
  return (
    <div class="notice" role="alert">
      <p>
        A new version of the site is available. Reload the page to continue. Saved changes are not lost. If an upload is
        running, wait until it is done.
      </p>
      <Button kind="button" label="Reload" onClick={() => location.reload()} />
    </div>
  );
}

function Routed() {
  const { path } = currentLocation.value;
  const found = findRoute(path);
  if (found === undefined)
    return (
      <>
        <Heading title="Page not found" />
        <p>This page does not exist.</p>
        <p>
          <a class="button" href={hrefOf('/')}>
            Go to the start page
          </a>
        </p>
      </>
    );
  const { route, parameters } = found;
  const { account_id = '', repository_id = '' } = parameters;
  const key = `${account_id}/${repository_id}`;
  const shown = { route, parameters };
  if (route.of === 'account') return <AccountPage key={key} {...shown} account_id={account_id} />;
  if (route.of === 'repository') {
    return <RepositoryPage key={key} {...shown} account_id={account_id} repository_id={repository_id} />;
  }
  if (route.section !== undefined) return <AdministrationPage {...shown} />;
  return <Shown {...shown} />;
}

/** Shows a section of the administration view. Users who are not administrators get a notice. */
function AdministrationPage(shown: ShownProps) {
  const loading = useLoading(loadPlatformPermissions, []);
  return (
    <Loaded loading={loading}>
      {(may) => (
        <>
          <Crumbs parts={crumbsAbove(shown.route)} />
          <Heading title="Administration" />
          {isOpenTo(shown.route, may) ? (
            <Shown {...shown} may={may} isBelow />
          ) : (
            <p class="notice">Only administrators can use this page.</p>
          )}
        </>
      )}
    </Loaded>
  );
}

/** The props of every view. `findRoute` passes the account or the repository to the views that need one. */
type AnyViewProps = ViewProps & Partial<Pick<AccountViewProps, 'account'> & Pick<RepositoryViewProps, 'repository'>>;

interface ShownProps {
  route: Route;
  parameters: Readonly<Record<string, string>>;
  account?: AccountScope;
  repository?: RepositoryScope;
  /** The user's permissions for a view that belongs to no account. */
  may?: May;
}

function AccountPage({ account_id, ...shown }: ShownProps & { account_id: string }) {
  const loading: Loading<AccountScope> = useLoading(
    () => loadAccount(account_id, () => loading.reload()),
    [account_id],
  );
  return (
    <Loaded loading={loading}>
      {(account) => (
        <>
          <Crumbs parts={[...crumbsToAccount(account), ...crumbsOf(account.name, shown)]} />
          <h1 tabindex={-1} class={longName(account.name)}>
            {account.name} <small>{account.account?.disabled ? 'disabled' : ''}</small>
          </h1>
          {account.name !== account_id && (
            <p class="byline">
              <span>{account_id}</span>
            </p>
          )}
          {account.account?.disabled && <AccountBanner scope={account} />}
          <Tabs of="account" parameters={shown.parameters} current={shown.route} may={account.may} />
          <Shown {...shown} account={account} isBelow />
        </>
      )}
    </Loaded>
  );
}

function RepositoryPage({
  account_id,
  repository_id,
  ...shown
}: ShownProps & { account_id: string; repository_id: string }) {
  const loading: Loading<RepositoryScope> = useLoading(
    () => loadRepository({ account_id, repository_id }, () => loading.reload()),
    [account_id, repository_id],
  );
  return (
    <Loaded loading={loading}>
      {(repository) =>
        // A different account in the response means that the API redirected the request, because the repository was
        // transferred.
        repository.repository.account_id !== account_id ? (
          <MovedPage scope={repository} />
        ) : (
          <>
            <Crumbs parts={[[repository.account_name, `/accounts/${account_id}`], [repository_id]]} />
            <h1 tabindex={-1} class={longName(repository.title)}>
              {repository.title}
            </h1>
            {(repository.repository.disabled || repository.disabledAccount) && <RepositoryBanner scope={repository} />}
            <Tabs of="repository" parameters={shown.parameters} current={shown.route} may={repository.may} />
            <Shown {...shown} repository={repository} isBelow />
          </>
        )
      }
    </Loaded>
  );
}

/** Returns a component that loads its code when it is first shown. Use it for components that few users see. */
function lazily<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
) {
  return (props: Props) => {
    const loaded = useSignal<{ Shown: ComponentType<Props> } | undefined>(undefined);
    useEffect(() => {
      void loadChunk(load).then((module) => {
        if (module !== undefined) loaded.value = { Shown: pick(module) };
      });
    }, []);
    const { Shown } = loaded.value ?? {};
    return Shown === undefined ? null : <Shown {...props} />;
  };
}

const loadBanners = () => import('./components/banners.tsx');
const OwnBanner = lazily(loadBanners, (banners) => banners.OwnBanner);
const AccountBanner = lazily(loadBanners, (banners) => banners.AccountBanner);
const RepositoryBanner = lazily(loadBanners, (banners) => banners.RepositoryBanner);
const MovedPage = lazily(loadBanners, (banners) => banners.MovedPage);
const FirstAccount = lazily(
  () => import('./views/first-account.tsx'),
  (view) => view.FirstAccount,
);

/** False until the console shows its first view. The console sets the focus only for later views. */
let hasShownView = false;

/** Loads and renders a view. A new view sets the title and gets the focus, so that screen readers announce it. */
function Shown({ route, parameters, account, repository, isBelow, ...rights }: ShownProps & { isBelow?: boolean }) {
  const view = useSignal<{ path: string; View: ComponentType<AnyViewProps> } | undefined>(undefined);
  useEffect(() => {
    void loadChunk(route.load as () => Promise<{ View: ComponentType<AnyViewProps> }>).then((module) => {
      if (module !== undefined) view.value = { path: route.path, View: module.View };
    });
  }, [route.path]);
  const path = currentLocation.value.path;
  useEffect(() => {
    const of = account?.name ?? repository?.title;
    const tab = route.section === undefined ? undefined : tabAbove(route)?.title;
    setTitle([route.title, tab, of, configuration.site_name].filter(Boolean).join(' · '));
    clearNotices();
    if (view.value?.path !== route.path) return;
    if (!focusRequestedField() && hasShownView) focusHeading();
    hasShownView = true;
  }, [path, view.value?.path]);
  const { View, path: loaded } = view.value ?? {};
  // A tab or the view's own content already shows this title, so this heading is only for screen readers.
  const isTitleShown = route.section === undefined && (route.isTab || parameters['name'] !== undefined);
  const heading = isBelow ? (
    <h2 class={isTitleShown ? 'view unseen' : 'view'} tabindex={-1}>
      {route.isTab ? (route.section ?? route.title) : route.title}
    </h2>
  ) : (
    <>
      {route.path !== '/' && isSignedIn.value && <Crumbs parts={crumbsAbove(route)} />}
      <Heading title={route.title} />
    </>
  );
  const { may } = account ?? repository ?? rights;
  // The user opened the view's URL without the required permission. The API would refuse every form of this view.
  const isDenied = may !== undefined && !isOpenTo(route, may);
  const shown = (
    <>
      {heading}
      {isDenied ? (
        <div class="notice problem" role="alert">
          <p>{texts.problems['access_denied']}</p>
        </div>
      ) : View === undefined || loaded !== route.path ? (
        <LoadingNote />
      ) : (
        <View
          key={path}
          parameters={parameters}
          query={currentLocation.value.query}
          {...(account && { account })}
          {...(repository && { repository })}
        />
      )}
    </>
  );
  if (route.section === undefined || may === undefined) return shown;
  return (
    <Sections parameters={parameters} current={route} may={may}>
      {shown}
    </Sections>
  );
}

type Crumb = readonly [words: string, path?: string];

/** Returns the breadcrumbs of an account's view. A view below a tab has a link back to that tab. */
function crumbsOf(name: string, { route, parameters }: Pick<ShownProps, 'route' | 'parameters'>): Crumb[] {
  const above = tabAbove(route);
  if (above === undefined) return [[name]];
  const own = pathOf('/accounts/:account_id', parameters);
  const tab = pathOf(above.path, parameters);
  return [[name, own], ...(tab === own ? [] : [[above.title, tab] as const]), [parameters['name'] ?? route.title]];
}

const administration = '/administration';

/** Adds a breadcrumb of the administration view for site administrators who have no role in the account. */
function crumbsToAccount({ account_id, may }: AccountScope): Crumb[] {
  return may('updateAccountFlags') && !isWithin(account_id) ? [['Administration', administration]] : [];
}

/** Returns the breadcrumbs above a view. The administration view is among them for administrators only. */
function crumbsAbove({ title, below }: Route): Crumb[] {
  const above =
    below === undefined || (below.startsWith(administration) && !administers.value) ? undefined : findRoute(below);
  return above === undefined
    ? [[title]]
    : [...crumbsAbove(above.route).slice(0, -1), [above.route.title, above.route.path], [title]];
}

const longName = (name: string) => (name.length > 60 ? 'long' : undefined);

function Heading({ title }: { title: string }) {
  return <h1 tabindex={-1}>{title}</h1>;
}

/** Focuses the field that the query parameter `field` names. Returns true when the field exists. */
function focusRequestedField(): boolean {
  const name = currentLocation.value.query.get('field');
  if (name === null) return false;
  const field = document.querySelector<HTMLElement>(`#console form [name="${CSS.escape(name)}"]`);
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
  return field !== null;
}

function focusHeading(): void {
  const heading =
    document.querySelector<HTMLElement>('#console h2.view') ?? document.querySelector<HTMLElement>('#console h1');
  heading?.focus({ preventScroll: true });
  scrollTo(0, 0);
}
