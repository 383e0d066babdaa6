/** Header of an answer that shape-response made: whether CloudFront may keep it. */
export const shapedHeader = 'x-sluice-shaped';

/** Storage's own, kept aside while CloudFront goes by ours. */
export const asideHeaders = {
  'cache-control': 'x-sluice-storage-cache-control',
  expires: 'x-sluice-storage-expires',
} as const;

/**
 * Source of `putBack(response)`: the viewer gets storage's own `Cache-Control` and `Expires`, or none, in place of what
 * was for CloudFront. Of what is kept whole, CloudFront gives parts with all its headers: a checksum of the whole would
 * not fit a part, and SDKs compare.
 */
export const puttingBackSource = `const aside = ${JSON.stringify(asideHeaders)};
function putBack(response) {
  const headers = response.headers;
  const shaped = headers['${shapedHeader}'];
  if (shaped) {
    for (const name in aside) {
      delete headers[name];
      if (headers[aside[name]]) headers[name] = { value: headers[aside[name]].value };
    }
  }
  const isPart = shaped && shaped.value === 'kept' && response.statusCode === 206;
  for (const name in headers) {
    if (name.indexOf('x-sluice-') === 0 || (isPart && name.indexOf('x-amz-checksum-') === 0)) delete headers[name];
  }
  return response;
}
`;
