import { type PageRedirect, pageRedirectSource } from '../page-redirects.ts';
import { copyingSource } from './copied-headers.ts';
import { keyInUrlSource } from './key-in-url.ts';
import { markingSource } from './marked-requests.ts';
import { pageMarkingSource } from './page-requests.ts';
import { puttingBackSource } from './put-back-headers.ts';

/** What the function of objects is made for. */
export interface ViewerFunctionOptions {
  /** Where the pages are, if there are some. */
  siteUrl?: string | undefined;
  /** Below which host account names are host labels. */
  virtualHostBase?: string | undefined;
}

/** A header of an event; `multiValue` where it came more than once. */
interface ViewerField {
  value: string;
  multiValue?: { value: string }[];
}

export type ViewerFields = Record<string, ViewerField>;

/** The events of CloudFront Functions, as far as they are looked at. */
export interface ViewerRequestEvent {
  context: { requestId: string; distributionDomainName?: string };
  /** `headers` is without Cookie: cookies have a place of their own. */
  request: {
    method: string;
    uri: string;
    querystring: ViewerFields;
    headers: ViewerFields;
    cookies: ViewerFields;
  };
}

export interface ViewerResponseEvent {
  response: { statusCode: number; headers: ViewerFields };
}

/** Of the exchange. */
export const copyViewerHeaders = `${copyingSource}function handler(event) {
  dropOurs(event.request.headers);
  return copyHeaders(event.request);
}
`;

/** Of objects: people are led to pages first, where there are some. A behaviour has one function for the request. */
export function onObjectRequest({ siteUrl, virtualHostBase }: ViewerFunctionOptions): string {
  const pages = siteUrl === undefined ? '' : pageRedirectSource({ siteUrl, virtualHostBase });
  return `${keyInUrlSource}${pages}${copyingSource}${markingSource(virtualHostBase)}function handler(event) {
  return ${pages === '' ? '' : 'toPage(event) || '}mark(event.request, event.context.requestId);
}
`;
}

/** Of objects, on the way back. CloudFront runs it for statuses below 400 alone, also where it answers from its cache. */
export const onObjectResponse = `${puttingBackSource}function handler(event) {
  return putBack(event.response);
}
`;

/** Of the site's pages. */
export function onPageRequest(hosts: readonly string[]): string {
  return `${keyInUrlSource}${copyingSource}${pageMarkingSource(hosts)}function handler(event) {
  return markPage(event.request, event.context.requestId, event.context.distributionDomainName);
}
`;
}

export interface CompiledViewerFunctions {
  onRequest: (event: ViewerRequestEvent) => ViewerRequestEvent['request'] | PageRedirect;
  onResponse: (event: ViewerResponseEvent) => ViewerResponseEvent['response'];
  onExchange: (event: ViewerRequestEvent) => ViewerRequestEvent['request'];
}

/** The functions of these sources. They change the events that they are given. */
export function compileViewerFunctions(places: ViewerFunctionOptions): CompiledViewerFunctions {
  return {
    onRequest: compile(onObjectRequest(places)),
    onResponse: compile(onObjectResponse),
    onExchange: compile(copyViewerHeaders),
  };
}

export interface CompiledPageFunctions {
  onRequest: (event: ViewerRequestEvent) => ViewerRequestEvent['request'];
  onResponse: CompiledViewerFunctions['onResponse'];
}

/** Those of the pages; on the way back it is that of objects. */
export function compilePageFunctions(hosts: readonly string[]): CompiledPageFunctions {
  return { onRequest: compile(onPageRequest(hosts)), onResponse: compile(onObjectResponse) };
}

function compile<Handler>(source: string): Handler {
  return new Function(`'use strict';\n${source}\nreturn handler;`)() as Handler;
}
