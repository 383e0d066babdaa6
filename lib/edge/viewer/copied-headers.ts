import { viewerHeaderCopies } from '../headers.ts';

// Of this room are the texts of CloudFront Functions: plain JavaScript of their runtime 2.0, at most 10 KB, no modules.
// The edge of one machine runs the same texts.

/**
 * Source of `copyHeaders(request)`: copies headers that clients sign and CloudFront may rewrite. Headers of ours that a
 * client sent itself are removed, or it could say what was signed, or what may be kept.
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
