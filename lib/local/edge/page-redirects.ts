import type { CloudFrontHeaders } from 'aws-lambda';
import { compilePeopleToPages, type PagePlaces } from '../../edge/people-to-pages.ts';
import type { FunctionAnswer } from './function-results.ts';
import type { ViewerRequest } from './viewer-request.ts';

/** What the viewer function answers itself. Its event is made of requests alone that may be of a person. */
export function createPageRedirects(
  places: PagePlaces | undefined,
): (viewer: ViewerRequest) => FunctionAnswer | undefined {
  if (places === undefined) return () => undefined;
  const toPage = compilePeopleToPages(places);
  return ({ method, rawPath, rawQuery, headers }) => {
    const accept = headers['accept']?.[0]?.value;
    if (method !== 'GET' || rawQuery !== '' || !accept?.includes('text/html')) return undefined;
    const redirect = toPage({ request: { method, uri: rawPath, querystring: {}, headers: valuesOf(headers) } });
    if (redirect === undefined) return undefined;
    const fields = Object.entries(redirect.headers).map(([key, { value }]) => [key, [{ key, value }]]);
    return { status: redirect.statusCode, headers: Object.fromEntries(fields), body: undefined };
  };
}

function valuesOf(headers: CloudFrontHeaders): Record<string, { value: string }> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, fields]) => [name, { value: fields.map(({ value }) => value).join(',') }]),
  );
}
