import * as z from 'zod';
import { htmlPageSchema } from './html-page.ts';
import { defineOperation, type Operation } from './operation.ts';
import { listCatalogue } from './repositories.ts';

// Nobody is asked who they are, so that a page is the same for everybody. Pages ignore parameters that they do not know.
const page = {
  group: 'pages',
  target: 'nothing',
  permission: { kind: 'anyone' },
  ignoresAuthorization: true,
  method: 'GET',
  outsideBase: true,
  isPage: true,
  response: htmlPageSchema,
  status: 200,
} as const;

export const showFront = defineOperation({
  ...page,
  name: 'show-front',
  summary: 'Show what this deployment is, and its newest repositories',
  path: '/',
  tableAccess: { actions: ['Query', 'BatchGetItem'], indexes: ['catalogue'], partitions: ['ACCOUNT#'] },
});

export const showSearch = defineOperation({
  ...page,
  name: 'show-search',
  summary: 'Show what is found in the catalogue, page after page',
  path: '/-/search',
  query: listCatalogue.query
    .omit({ limit: true, cursor: true })
    .extend({ cursor: z.string().max(2048).optional() })
    .strip(),
  memoryMb: listCatalogue.memoryMb,
  tableAccess: { ...listCatalogue.tableAccess, indexes: [] },
});

export const showAccount = defineOperation({
  ...page,
  name: 'show-account',
  summary: 'Show an account and the repositories that anyone may see',
  path: '/{account_id}',
  query: z.object({ cursor: z.string().max(2048).optional() }),
  target: 'account',
  tableAccess: { actions: ['Query'], indexes: ['sublists'], partitions: ['ACCOUNT#'] },
});

export const showRepository = defineOperation({
  ...page,
  name: 'show-repository',
  summary: 'Show an open repository, a folder or a file of it',
  path: '/{account_id}/{repository_id}',
  query: z.object({
    /** A key, or a folder, which ends in a slash. */
    path: z.string().max(1024).optional(),
    cursor: z.string().max(4096).optional(),
  }),
  target: 'repository',
  permission: { kind: 'reading' },
  tableAccess: { actions: [], indexes: [], partitions: ['ACCOUNT#', 'MIGRATION#', 'REPOSITORY#'] },
});

export const getRobots = defineOperation({
  ...page,
  name: 'get-robots',
  summary: 'Tell crawlers what to read',
  path: '/robots.txt',
  tableAccess: { actions: [], indexes: [] },
});

/** What people see, beside the API: each is a Lambda and a route as the operations of the registry are. */
export const pages: readonly Operation[] = [showFront, showSearch, showAccount, showRepository, getRobots];
