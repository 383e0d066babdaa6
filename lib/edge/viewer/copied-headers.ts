import { viewerHeaderCopies } from '../headers.ts';

// This folder contains sources of CloudFront Functions: plain JavaScript for runtime 2.0, at most 10 KB, no modules.
// The local CloudFront emulator runs the same sources.

/**
 * Source of `copyHeaders(request)`, which copies headers that clients sign and CloudFront may change. `dropOurs`
 * removes `x-sluice-` headers of the client, which could otherwise forge the signed values or the cache mark.
 */
export const copyingSource = `const copies = ${JSON.stringify(viewerHeaderCopies)};
function dropOurs(headers) {
  for (const name in headers) if (name.indexOf('x-sluice-') === 0) delete headers[name];
}
function copyHeaders(request) {
  const headers = request.headers;
  for (const name in copies) {
    const given = headers[name];
    if (given) {
      const values = given.multiValue ? given.multiValue.map((field) => field.value) : [given.value];
      headers[copies[name]] = { value: values.join(',') };
    }
  }
  return request;
}
`;
