import { viewerHeaderCopies } from '../../edge/headers.ts';
import { type PagePlaces, peopleToPagesSource } from '../../edge/people-to-pages.ts';

// CloudFront Functions: plain JavaScript of its runtime 2.0, at most 10 KB, no modules.

/**
 * Copies headers that clients sign and CloudFront may rewrite. A copy that a client sent itself is removed, or it could
 * say what was signed.
 */
const copying = `const copies = ${JSON.stringify(viewerHeaderCopies)};
function copyHeaders(request) {
  const headers = request.headers;
  for (const name in copies) {
    const given = headers[name];
    delete headers[copies[name]];
    if (given) {
      const values = given.multiValue ? given.multiValue.map((field) => field.value) : [given.value];
      headers[copies[name]] = { value: values.join(',') };
    }
  }
  return request;
}
`;

/** Of the exchange. */
export const copyViewerHeaders = `${copying}function handler(event) {
  return copyHeaders(event.request);
}
`;

/** Of objects: people are led to pages first, where there are some. */
export function onObjectRequest(places: PagePlaces | undefined): string {
  if (places === undefined) return copyViewerHeaders;
  return `${peopleToPagesSource(places)}${copying}function handler(event) {
  return toPage(event) || copyHeaders(event.request);
}
`;
}

/** Refuses a key in the query like every other function does. */
export const answerHealth = `function handler(event) {
  const query = event.request.querystring;
  for (const name in query) {
    if (/sck(?:_|%5f)/i.test(name + '=' + query[name].value)) {
      return { statusCode: 400, statusDescription: 'Bad Request', headers: { 'cache-control': { value: 'no-store' } } };
    }
  }
  return {
    statusCode: 200,
    statusDescription: 'OK',
    headers: { 'content-type': { value: 'application/json' }, 'cache-control': { value: 'no-store' } },
    body: '{"status":"ok"}',
  };
}
`;
