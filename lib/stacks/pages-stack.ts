import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { SiteEntries } from '../domain/site-assets.ts';
import { pages } from '../operations/pages.ts';
import { addOperation } from './api-operations.ts';
import type { ApiStack } from './api-stack.ts';

interface PagesStackProps extends StackProps {
  api: ApiStack;
  /** The URL of the site. */
  siteUrl: string;
  siteEntries: SiteEntries;
  logoFile: string | undefined;
}

/** The HTML pages: routes of the same API, each with its own Lambda. */
export class PagesStack extends Stack {
  constructor(scope: Construct, id: string, { api, siteUrl, siteEntries, logoFile, ...props }: PagesStackProps) {
    super(scope, id, props);
    const { shared } = api;
    const { site, userIssuer, openDataCacheSeconds } = shared.config;
    const environment = {
      ...shared.environment,
      SLUICE_SITE: JSON.stringify(site),
      SLUICE_SITE_URL: siteUrl,
      SLUICE_OPEN_DATA_CACHE_SECONDS: String(openDataCacheSeconds),
      ...(logoFile === undefined ? {} : { SLUICE_SITE_LOGO: logoFile }),
      SLUICE_SITE_ENTRIES: JSON.stringify(siteEntries),
      ...(userIssuer?.clientId === undefined ? {} : { SLUICE_SITE_CLIENT_ID: userIssuer.clientId }),
    };
    for (const page of pages) addOperation(this, page, { ...shared, environment });
  }
}
