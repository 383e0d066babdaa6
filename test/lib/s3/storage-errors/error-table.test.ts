import { expect, test } from 'vitest';
import {
  errorByRequest,
  errorTable,
  type RequestCondition,
  requestConditions,
} from '../../../../lib/s3/storage-errors/error-table.ts';

/**
 * The table of docs/clients/what-differs-from-s3.md as requests: method, query, headers, and the meaning of each
 * storage status.
 */

const object = (method: string, rawQuery = '', headers: Record<string, string> = {}) => ({ method, rawQuery, headers });
const put = (headers: Record<string, string>) => object('PUT', '', headers);
const upload = 'partNumber=1&uploadId=u';
const megabytes = 1024 * 1024;
const beyondFunction = String(megabytes + 1);
const beyondUpload = String(5 * 1024 * megabytes + 1);
const tags = (count: number) => Array.from({ length: count }, (_, index) => `t${index}=x`).join('&');
const hash = 'a'.repeat(64);

const cases: [status: number, asked: ReturnType<typeof object>, shown: string][] = [
  [400, put({ 'content-length': beyondUpload }), 'EntityTooLarge'],
  [400, put({ 'x-amz-decoded-content-length': beyondUpload, 'x-amz-trailer': 'x' }), 'EntityTooLarge'],
  [400, object('PUT', 'partNumber=0&uploadId=u'), 'InvalidArgument'],
  [400, object('PUT', 'partNumber=10001&uploadId=u'), 'InvalidArgument'],
  [400, object('PUT', 'partNumber=one&uploadId=u'), 'InvalidArgument'],
  [400, object('GET', 'partNumber=0'), 'InvalidArgument'],
  [400, put({ 'x-amz-meta-a': 'x'.repeat(2048) }), 'MetadataTooLarge'],
  [400, put({ 'x-amz-meta-a': 'x'.repeat(2047) }), 'InvalidRequest'],
  [400, put({ 'x-amz-storage-class': 'NO_SUCH_CLASS' }), 'InvalidStorageClass'],
  [400, put({ 'x-amz-storage-class': 'GLACIER_IR' }), 'InvalidRequest'],
  [400, put({ 'x-amz-tagging': tags(11) }), 'InvalidTag'],
  [400, put({ 'x-amz-tagging': 'a=b&a=c' }), 'InvalidArgument'],
  [400, put({ 'x-amz-tagging': 'a=b&%61=c' }), 'InvalidArgument'],
  [400, put({ 'x-amz-tagging': '=b' }), 'InvalidArgument'],
  [400, put({ 'x-amz-tagging': 'a=%' }), 'InvalidArgument'],
  [400, put({ 'x-amz-tagging': 'a=%FF' }), 'InvalidArgument'],
  [400, put({ 'x-amz-tagging': 'a=b&&c+d=%20&' }), 'InvalidRequest'],
  [400, put({ 'x-amz-tagging': 'a=%3F' }), 'InvalidTag'],
  [400, put({ 'x-amz-tagging': `${'k'.repeat(129)}=v` }), 'InvalidTag'],
  [400, put({ 'x-amz-tagging': `k=${'v'.repeat(257)}` }), 'InvalidTag'],
  [400, put({ 'x-amz-tagging': tags(10) }), 'InvalidRequest'],
  // The function checks these headers before it forwards the request.
  [400, put({ 'content-length': '1', 'content-md5': 'x', 'x-amz-checksum-sha256': 'x' }), 'InvalidRequest'],
  [400, put({ 'content-length': beyondFunction, 'content-md5': 'x' }), 'BadDigest'],
  [400, put({ 'content-md5': 'x' }), 'BadDigest'],
  [400, object('PUT', upload, { 'content-length': beyondFunction, 'x-amz-checksum-crc32': 'x' }), 'BadDigest'],
  [400, put({ 'content-length': '1', 'x-amz-checksum-crc32c': 'x' }), 'BadDigest'],
  [400, put({ 'content-length': '40', 'x-amz-trailer': 'x-amz-checksum-crc32' }), 'BadDigest'],
  [400, put({ 'content-length': '1', 'x-amz-checksum-algorithm': 'CRC32' }), 'InvalidRequest'],
  [400, put({ 'content-length': beyondFunction, 'x-amz-content-sha256': hash }), 'XAmzContentSHA256Mismatch'],
  [400, put({ 'content-length': '1', 'x-amz-content-sha256': hash }), 'InvalidRequest'],
  [400, put({ 'content-length': beyondFunction, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }), 'InvalidRequest'],
  [400, put({ 'x-amz-server-side-encryption': 'aws:kms' }), 'InvalidArgument'],
  [400, object('PUT', upload, { 'x-amz-server-side-encryption-customer-key': 'x' }), 'InvalidArgument'],
  [400, object('GET', 'versionId=none'), 'InvalidArgument'],
  [400, object('GET', 'response-content-type=a%0D%0Ab'), 'InvalidArgument'],
  [400, object('GET'), 'InvalidRequest'],
  [400, object('HEAD', '', { 'x-amz-server-side-encryption-customer-key': 'x' }), 'InvalidRequest'],
  [400, object('DELETE'), 'InvalidRequest'],
  [403, object('GET'), 'AccessDenied'],
  [403, object('PUT'), 'AccessDenied'],
  [404, object('GET', 'list-type=2&max-keys=1000'), 'brokenStorage'],
  [404, object('POST', 'delete='), 'brokenStorage'],
  [404, object('POST', 'uploads='), 'brokenStorage'],
  [404, object('GET', 'uploads=&max-uploads=1'), 'brokenStorage'],
  [404, object('PUT', upload), 'NoSuchUpload'],
  [404, object('PUT', upload, { 'if-match': '"e"' }), 'NoSuchUpload'],
  [404, object('DELETE', 'uploadId=u'), 'NoSuchUpload'],
  [404, object('POST', 'uploadId=u'), 'NoSuchUpload'],
  [404, object('GET', 'uploadId=u'), 'NoSuchUpload'],
  [404, object('GET', 'versionId=v'), 'NoSuchVersion'],
  [404, object('GET'), 'NoSuchKey'],
  [404, object('HEAD', 'partNumber=1'), 'NoSuchKey'],
  [404, object('PUT', 'tagging=', { 'if-match': '"e"' }), 'NoSuchKey'],
  [404, put({ 'x-amz-copy-source': '/bucket/key' }), 'NoSuchKey'],
  [404, put({ 'if-match': '*' }), 'NoSuchKey'],
  [404, put({ 'if-none-match': '*' }), 'brokenStorage'],
  [404, object('PUT'), 'brokenStorage'],
  [404, object('DELETE'), 'NoSuchKey'],
  [404, object('DELETE', '', { 'if-match': '"e"' }), 'NoSuchKey'],
  [405, object('GET', 'versionId=v'), 'MethodNotAllowed'],
  [408, object('PUT'), 'RequestTimeout'],
  [409, put({ 'if-none-match': '*' }), 'ConditionalRequestConflict'],
  [409, put({ 'if-match': '"e"' }), 'ConditionalRequestConflict'],
  [409, object('POST', 'uploadId=u', { 'if-none-match': '*' }), 'ConditionalRequestConflict'],
  [409, object('PUT'), 'pathInUse'],
  [409, object('DELETE'), 'pathInUse'],
  [411, object('PUT'), 'MissingContentLength'],
  [412, object('GET'), 'PreconditionFailed'],
  [413, object('PUT'), 'EntityTooLarge'],
  [416, object('GET', 'partNumber=7'), 'InvalidPartNumber'],
  [416, object('GET'), 'InvalidRange'],
  [429, object('GET'), 'SlowDown'],
  [501, object('PUT'), 'NotImplemented'],
  [503, object('PUT'), 'SlowDown'],
  [304, put({ 'x-amz-copy-source': '/bucket/key' }), 'PreconditionFailed'],
  [301, object('GET'), 'brokenStorage'],
  [307, object('PUT'), 'brokenStorage'],
  [401, object('GET'), 'brokenStorage'],
  ...[302, 308, 402, 406, 410, 414, 418, 500, 502, 504, 507].map(
    (status) => [status, object('GET'), 'InternalError'] satisfies [number, ReturnType<typeof object>, string],
  ),
];

test.each(cases)('a status %i to %j becomes %s', (status, asked, shown) => {
  expect(errorByRequest(status, asked)).toBe(shown);
});

test('every row decides one of these requests', () => {
  const rowOf = (status: number, asked: ReturnType<typeof object>) =>
    errorTable.findIndex((row) => row.status === status && row.when.every((fact) => requestConditions[fact](asked)));
  const met = new Set(cases.map(([status, asked]) => rowOf(status, asked)));
  expect(errorTable.filter((_, index) => !met.has(index))).toEqual([]);
});

test('every row has a reason, and every condition is used', () => {
  for (const { reason, status } of errorTable) expect(reason, String(status)).toMatch(/\w{3}/);
  const used = new Set(errorTable.flatMap(({ when }) => when));
  expect((Object.keys(requestConditions) as RequestCondition[]).filter((fact) => !used.has(fact))).toEqual([]);
});
