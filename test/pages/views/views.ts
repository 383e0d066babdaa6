import type { Page } from 'playwright-core';
import { seedNames } from '../../../lib/local/seed.ts';
import { dialogs } from './console-dialogs.ts';
import { crowded } from './crowded-place.ts';

/** A view of the site or the console, with the data that it shows. */
export interface View {
  name: string;
  /** Path on the site. */
  path: string;
  /** The identity of the user who is signed in. Undefined if no user is signed in. */
  as?: string;
  /** Steps that a user takes until the view is visible. */
  reach?: (page: Page) => Promise<void>;
  /** For a dialog, the file of the console that opens it. */
  dialogOf?: string;
  /** True when the view can be shown only once, because showing it changes data. */
  isLast?: true;
}

const open = '/tide-institute/world-borders';
const long = `/${crowded.organization}/${crowded.repository}`;

const publicPages: Readonly<Record<string, string>> = {
  front: '/',
  catalogue: '/-/search',
  search: '/-/search?q=borders',
  'nothing-found': '/-/search?q=nowhere',
  account: '/tide-institute',
  'long-account': `/${crowded.organization}`,
  user: '/ada',
  repository: open,
  'empty-repository': '/tide-institute/tide-gauges',
  'long-repository': long,
  table: `${open}/countries.csv`,
  json: `${open}/countries.geojson`,
  text: `${open}/README.md`,
  'other-file': `${open}/countries.parquet`,
  'preview-parquet': `/-/preview${open}?path=countries.parquet`,
  'preview-geojson': `/-/preview${open}?path=countries.geojson`,
  'preview-pmtiles': `/-/preview${open}?path=countries.pmtiles`,
  'preview-geotiff': `/-/preview${open}?path=countries.tif`,
  version: `${open}?version=2026-07`,
  'version-file': `${open}/countries.csv?version=2026-07`,
  'version-without-file': `${open}/capitals.csv?version=2026-07`,
  'long-version': `${long}?version=${crowded.version}`,
  versions: `/-/versions${open}`,
  'version-difference': `/-/versions${open}?version=2026-08&compare=2026-07`,
  'withdrawn-version': `${open}?version=first-try`,
  'no-such-version': `${open}?version=2027`,
  nothing: '/tide-institute/absent',
  'no-such-file': `${open}/absent.csv`,
  'api-reference': '/api/v1/docs',
  'incomplete-link': '/-/links/3f7b9d20-6e1a-4c8d-b5f4-7a9c1e3d5b60',
  'ended-link': `/-/links/3f7b9d20-6e1a-4c8d-b5f4-7a9c1e3d5b60#${'a'.repeat(43)}`,
};

const signedOut: Readonly<Record<string, string>> = {
  'signed-out': '',
  'leaked-key': '/leaked-key',
  'invitation-link': '/invitation-links/3f7b9d20-6e1a-4c8d-b5f4-7a9c1e3d5b60#unknown',
};

const ofAda: Readonly<Record<string, string>> = {
  start: '',
  'new-organization': '/new-organization',
  'account-repositories': '/accounts/tide-institute',
  'new-repository': '/accounts/tide-institute/new-repository',
  people: '/accounts/tide-institute/people',
  'service-accounts': '/accounts/tide-institute/service-accounts',
  'service-account': '/accounts/tide-institute/service-accounts/nightly-sync',
  'account-api-keys': '/accounts/ada/api-keys',
  storage: '/accounts/tide-institute/storage',
  'connect-storage': '/accounts/tide-institute/storage/connect',
  'keys-by-maker': '/accounts/tide-institute/api-keys?made_by=ada',
  'not-for-you': '/accounts/site-admin/audit-trail',
  transfers: '/accounts/ada/transfers',
  'account-usage': '/accounts/tide-institute/usage',
  'audit-trail': '/accounts/tide-institute/audit-trail',
  flags: '/accounts/ada/flags',
  'account-settings': '/accounts/ada/settings',
  issuers: '/accounts/tide-institute/settings/issuers',
  'blocked-accounts': '/accounts/ada/settings/blocked-accounts',
  'account-danger-zone': '/accounts/tide-institute/settings/danger-zone',
  'repository-overview': `/repositories${open}`,
  'repository-readme': `/repositories${open}/readme`,
  'empty-repository-overview': '/repositories/tide-institute/tide-gauges',
  files: `/repositories${open}/files`,
  'private-files': `/repositories/tide-institute/${seedNames.private_repository_id}/files`,
  'repository-versions': `/repositories${open}/versions`,
  'repository-version': `/repositories${open}/versions/2026-07`,
  'repository-version-withdrawn': `/repositories${open}/versions/first-try`,
  'repository-version-in-progress': `/repositories${open}/versions/in-progress`,
  'repository-usage': `/repositories${open}/usage`,
  'empty-usage': '/repositories/tide-institute/tide-gauges/usage',
  'repository-people': `/repositories${open}/people`,
  'repository-api-keys': `/repositories${open}/api-keys`,
  'repository-settings': `/repositories${open}/settings`,
  'repository-visibility': `/repositories${open}/settings/visibility`,
  'repository-metadata': `/repositories${open}/settings/metadata`,
  'repository-writing': `/repositories${open}/settings/writing`,
  'repository-storage': `/repositories${open}/settings/storage`,
  'repository-danger-zone': `/repositories${open}/settings/danger-zone`,
  'not-hers': '/accounts/absent/people',
  'no-view': '/nowhere',
  administration: '/administration',
  'data-connection': '/data-connections/local-store',
};

const ofAdmin: Readonly<Record<string, string>> = {
  administration: '/administration',
  'administration-search': '/administration?search=tide',
  'administration-no-match': '/administration?search=nobody',
  'administration-disabled': '/administration/disabled',
  'administration-disabled-search': '/administration/disabled?search=tide-institute/',
  'administration-connections': '/administration/connections',
  'administration-connections-search': '/administration/connections?search=local',
  'administration-activity': '/administration/activity',
  'administration-activity-search': '/administration/activity?actor_account_id=site-admin&account_id=ada',
  'administration-operating': '/administration/operating',
  'administration-usage': '/administration/usage',
  'new-data-connection': '/new-data-connection',
  'data-connection': '/data-connections/local-store',
  'long-data-connection': `/data-connections/${crowded.connection}`,
  'flags-of-another': '/accounts/ada/flags',
  'settings-of-another': '/accounts/ada/settings/danger-zone',
  'repository-front-page': `/repositories${open}/settings/front-page`,
  'storage-of-another': `/accounts/${crowded.organization}/storage`,
  'storage-connection-of-another': `/accounts/${crowded.organization}/storage/connections/${crowded.ownStorage}`,
};

/** Data with names of the maximum length. */
const ofOwner: Readonly<Record<string, string>> = {
  start: '',
  repositories: `/accounts/${crowded.organization}`,
  people: `/accounts/${crowded.organization}/people`,
  'service-accounts': `/accounts/${crowded.organization}/service-accounts`,
  'service-account': `/accounts/${crowded.organization}/service-accounts/${crowded.machine}`,
  'api-keys': `/accounts/${crowded.organization}/api-keys`,
  transfers: `/accounts/${crowded.organization}/transfers`,
  storage: `/accounts/${crowded.organization}/storage`,
  'storage-by-role': `/accounts/${crowded.organization}/storage/connections/${crowded.storageByRole}`,
  'public-storage': `/accounts/${crowded.organization}/storage/connections/${crowded.publicStorage}`,
  'storage-in-use': `/accounts/${crowded.organization}/storage/connections/${crowded.ownStorage}`,
  'new-repository': `/accounts/${crowded.organization}/new-repository?storage=${crowded.ownStorage}`,
  'audit-trail': `/accounts/${crowded.organization}/audit-trail`,
  settings: `/accounts/${crowded.user}/settings`,
  'organization-settings': `/accounts/${crowded.organization}/settings`,
  issuers: `/accounts/${crowded.organization}/settings/issuers`,
  repository: `/repositories${long}`,
  files: `/repositories/tide-institute/${seedNames.private_repository_id}/files`,
  'repository-versions': `/repositories${long}/versions`,
  'repository-version': `/repositories${long}/versions/${crowded.version}`,
  'repository-people': `/repositories${long}/people`,
  'repository-api-keys': `/repositories${long}/api-keys`,
  'repository-settings': `/repositories${long}/settings`,
  'repository-metadata': `/repositories${long}/settings/metadata`,
  'repository-writing': `/repositories${long}/settings/writing`,
  'repository-storage': `/repositories${long}/settings/storage`,
  'repository-danger-zone': `/repositories${long}/settings/danger-zone`,
  'disabled-repository': `/repositories/${crowded.organization}/${crowded.disabled}/settings/danger-zone`,
};

/** A user without data. */
const ofNewcomer: Readonly<Record<string, string>> = {
  start: '',
  repositories: `/accounts/${crowded.empty}`,
  people: `/accounts/${crowded.empty}/people`,
  'service-accounts': `/accounts/${crowded.empty}/service-accounts`,
  'api-keys': `/accounts/${crowded.empty}/api-keys`,
  transfers: `/accounts/${crowded.newcomer}/transfers`,
  storage: `/accounts/${crowded.empty}/storage`,
  'audit-trail': `/accounts/${crowded.empty}/audit-trail?kind=repository.created`,
  flags: `/accounts/${crowded.empty}/flags`,
  settings: `/accounts/${crowded.newcomer}/settings`,
};

const closed = `/tide-institute/${seedNames.private_repository_id}`;

/** Pages of a private repository, which the browser renders for a member. */
const membersPages: Readonly<Record<string, string>> = {
  'private-repository': closed,
  'private-table': `${closed}?path=readings.csv`,
  'private-map': `${closed}?path=station.geojson`,
  'private-absent-file': `${closed}?path=absent.csv`,
  'private-nothing': '/tide-institute/absent',
};

/** Creates a link to the folder that the Files view shows, and opens the link. */
const openShared = (key?: string) => async (page: Page) => {
  if (key !== undefined) await page.getByRole('button', { name: key, exact: true }).click();
  const from = key === undefined ? page : page.getByRole('dialog');
  await from.getByRole('button', { name: 'Share a link' }).click();
  await page.getByRole('button', { name: 'Share link' }).click();
  const url = await page.locator('.secret code').innerText();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.goto(url);
  await page.locator('main:not([aria-busy]) h1').waitFor();
};

function console_(as: string | undefined, prefix: string, all: Readonly<Record<string, string>>): View[] {
  return Object.entries(all).map(([name, path]) => ({
    name: `console-${prefix}${name}`,
    path: `/-/console${path}`,
    ...(as !== undefined && { as }),
  }));
}

/** Every view of the site and of the console, with its dialogs, for screenshots and for axe. */
export const views: readonly View[] = [
  ...Object.entries(publicPages).map(([name, path]) => ({ name, path })),
  ...Object.entries(membersPages).map(([name, path]) => ({ name, path, as: seedNames.user.identity_id })),
  ...console_(undefined, '', signedOut),
  ...console_('somebody-new', '', { 'first-account': '' }),
  ...console_(seedNames.user.identity_id, '', ofAda),
  ...console_(seedNames.admin.identity_id, 'admin-', ofAdmin),
  ...console_(crowded.user, 'long-', ofOwner),
  ...console_(crowded.newcomer, 'empty-', ofNewcomer),
  {
    name: 'console-unsaved-changes',
    path: `/-/console/repositories${open}/settings/metadata`,
    as: seedNames.user.identity_id,
    async reach(page) {
      await page.getByLabel('Contact').fill('data@example.org');
      await page.getByLabel('DOI').fill('10.1000/182');
    },
  },
  ...Object.entries({ 'shared-files': undefined, 'shared-table': 'readings.csv', 'shared-map': 'station.geojson' }).map(
    ([name, key]) => ({
      name,
      path: `/-/console/repositories${closed}/files`,
      as: seedNames.user.identity_id,
      reach: openShared(key),
    }),
  ),
  ...dialogs,
];
