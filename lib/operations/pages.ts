import * as z from 'zod';
import { siteCallbackPath } from '../domain/accounts/site-sign-in.ts';
import { citationFormatNames } from '../domain/citation/formats.ts';
import { catalogueSearchFields, catalogueSearchMemoryMb, catalogueTableAccess } from './catalogue-search.ts';
import { declarators, openToAnyone } from './operation.ts';

// Pages ignore credentials, so that all callers get the same page. They also ignore unknown query parameters.
const define = declarators({ group: 'pages', ...openToAnyone, outsideBase: true });
/** All HTML pages. Each has a Lambda function and a route, like the operations in the registry. */
export const pages = define.all;

/**
 * The name of a version whose files the page shows. With an invalid name, the page says that the version does not
 * exist.
 */
const shownVersion = z.string().max(256).optional();

export const showFront = define.page({
  name: 'show-front',
  isCacheable: true,
  summary: 'Show the start page, with featured and newest repositories',
  path: '/',
  memoryMb: catalogueSearchMemoryMb,
  tableAccess: {
    actions: ['BatchGetItem', 'GetItem', 'Query'],
    indexes: ['catalogue'],
    partitions: ['ACCOUNT#', 'REPOSITORY#', 'SEARCH#', 'SITE#'],
  },
});

export const showSearch = define.page({
  name: 'show-search',
  isCacheable: true,
  summary: 'Show search results of the catalogue',
  path: '/-/search',
  query: z.object({ ...catalogueSearchFields, cursor: z.string().max(2048).optional() }),
  memoryMb: catalogueSearchMemoryMb,
  sealsCursors: true,
  tableAccess: { ...catalogueTableAccess },
});

export const showAccount = define.page({
  name: 'show-account',
  isCacheable: true,
  summary: 'Show an account and its public repositories',
  path: '/{account_id}',
  query: z.object({ cursor: z.string().max(2048).optional() }),
  target: 'account',
  memoryMb: catalogueSearchMemoryMb,
  sealsCursors: true,
  tableAccess: {
    actions: ['BatchGetItem', 'GetItem', 'Query'],
    indexes: ['lists', 'sublists'],
    partitions: ['ACCOUNT#', 'SEARCH#'],
  },
});

export const showRepository = define.page({
  name: 'show-repository',
  isCacheable: true,
  summary: 'Show an open repository, a folder or a file of it',
  path: '/{account_id}/{repository_id}',
  query: z.object({
    /** The key of a file, or the prefix of a folder, which ends in a slash. */
    path: z.string().max(1024).optional(),
    cursor: z.string().max(4096).optional(),
    version: shownVersion,
  }),
  target: 'repository',
  permission: { kind: 'reading' },
  readsOpenData: true,
  tableAccess: {
    actions: ['Query'],
    indexes: ['lists'],
    partitions: ['ACCOUNT#', 'REPOSITORY#', 'REPOSITORY_JOB#', 'USAGE#', 'VERSION#'],
  },
});

export const showVersions = define.page({
  name: 'show-versions',
  summary: 'Show the versions of an open repository, the difference of two of them, or the citation of one',
  path: '/-/versions/{account_id}/{repository_id}',
  query: z.object({
    version: shownVersion,
    /** The name of the earlier version in a comparison. */
    compare: shownVersion,
    /**
     * The format of a citation. If the parameter is present, the response is the citation of the version in this
     * format.
     */
    citation: z.enum(citationFormatNames).optional(),
    /** The key at which the comparison of two versions begins. */
    from: z.string().max(1024).optional(),
    /** The position in the list of versions. It is not encrypted, because the list is public. */
    cursor: z
      .string()
      .regex(/^[\dT:.Z-]{20,30}#[0-9a-f-]{36}$/)
      .optional(),
  }),
  target: 'repository',
  permission: { kind: 'reading' },
  readsOpenData: true,
  tableAccess: { indexes: ['lists'], partitions: ['ACCOUNT#', 'REPOSITORY#', 'VERSION#'] },
});

export const showPreview = define.page({
  name: 'show-preview',
  summary: 'Show the preview of a file of an open repository, with a script that reads parts of it',
  path: '/-/preview/{account_id}/{repository_id}',
  query: z.object({
    path: z.string().max(1024).optional(),
    /**
     * If present, with any value, the page has no header and no footer, because the file's page shows it in an iframe.
     */
    frame: z.string().optional(),
    version: shownVersion,
  }),
  target: 'repository',
  permission: { kind: 'reading' },
  readsOpenData: true,
  tableAccess: { partitions: ['ACCOUNT#', 'REPOSITORY#', 'VERSION#'] },
});

export const showLink = define.page({
  name: 'show-link',
  summary: 'Show the page behind a link to private data, with a script that reads the data',
  path: '/-/links/{link_id}',
});

export const getSitemap = define.page({
  name: 'get-sitemap',
  isCacheable: true,
  summary: 'Get the sitemap of all listed repositories',
  path: '/sitemap.xml',
  query: z.object({
    /**
     * Selects a part of a large sitemap. It consists of the first repository name in the part, a colon, and the first
     * name after the part.
     */
    cursor: z
      .string()
      .regex(/^[a-z0-9-]+\/[a-z0-9-]+(?::[a-z0-9-]+\/[a-z0-9-]+)?$/)
      .max(200)
      .optional(),
  }),
  memoryMb: catalogueSearchMemoryMb,
  tableAccess: { actions: ['GetItem', 'Query'], partitions: ['SEARCH#'] },
});

export const showConsole = define.page({
  name: 'show-console',
  summary: 'Show the console',
  path: '/-/console',
  morePaths: ['/-/console/{view+}', siteCallbackPath],
  query: z.object({
    /**
     * The name of a document that the console shows in an iframe. The response is then this document and not the
     * console.
     */
    frame: z.string().max(64).optional(),
  }),
  signsIn: true,
});

export const getRobots = define.page({
  name: 'get-robots',
  summary: 'Get the robots.txt for crawlers',
  path: '/robots.txt',
});
