import { type PageRedirect, pageRedirectSource } from '../page-redirects.ts';
import { copyingSource } from './copied-headers.ts';
import { keyInUrlSource } from './key-in-url.ts';
import { markingSource } from './marked-requests.ts';
import { pageMarkingSource } from './page-requests.ts';
import { puttingBackSource } from './put-back-headers.ts';

/** Options of the viewer functions for objects. */
export interface ViewerFunctionOptions {
  /** The URL of the site, if the deployment has pages. */
  siteUrl?: string | undefined;
  /** The host whose subdomains are account names. */
  virtualHostBase?: string | undefined;
}

/** A header in an event. `multiValue` is present if the header came more than once. */
interface ViewerField {
  value: string;
  multiValue?: { value: string }[];
}

export type ViewerFields = Record<string, ViewerField>;

/** The parts of CloudFront Functions events that the functions read. */
export interface ViewerRequestEvent {
  context: { requestId: string; distributionDomainName?: string };
  /** `headers` does not contain Cookie; `cookies` does. */
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

/** The viewer-request function of the exchange. */
export const copyViewerHeaders = `${copyingSource}function handler(event) {
  dropOurs(event.request.headers);
  return copyHeaders(event.request);
}
`;

/**
 * Returns the viewer-request function of objects. It first redirects people to pages, if the deployment has pages. A
 * CloudFront behavior allows only one function for each event type.
 */
export function onObjectRequest({ siteUrl, virtualHostBase }: ViewerFunctionOptions): string {
  const pages = siteUrl === undefined ? '' : pageRedirectSource({ siteUrl, virtualHostBase });
  return `${keyInUrlSource}${pages}${copyingSource}${markingSource(virtualHostBase)}function handler(event) {
  return ${pages === '' ? '' : 'toPage(event) || '}mark(event.request, event.context.requestId);
}
`;
}

/** The viewer-response function of objects. CloudFront runs it for statuses below 400 only, and also for cache hits. */
export const onObjectResponse = `${puttingBackSource}function handler(event) {
  return putBack(event.response);
}
`;

/** Returns the viewer-request function of the site's pages. */
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

/** Compiles the functions from their sources. The functions change the events that they receive. */
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

/** Compiles the functions of the pages. The response function is the same as for objects. */
export function compilePageFunctions(hosts: readonly string[]): CompiledPageFunctions {
  return { onRequest: compile(onPageRequest(hosts)), onResponse: compile(onObjectResponse) };
}

function compile<Handler>(source: string): Handler {
  return new Function(`'use strict';\n${source}\nreturn handler;`)() as Handler;
}
