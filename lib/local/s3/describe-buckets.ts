import type { LocalResponse } from '../in-process-http.ts';
import { type Call, ownerElement, xmlResponse } from './operation.ts';
import { renderXml, s3Namespace, type XmlChild } from './xml/write-xml.ts';

export function listBuckets({ buckets }: Pick<Call, 'buckets'>): LocalResponse {
  const children = buckets.map(({ name, created }): XmlChild => {
    return [
      'Bucket',
      [
        ['Name', name],
        ['CreationDate', new Date(created).toISOString()],
      ],
    ];
  });
  return xmlResponse('ListAllMyBucketsResult', [ownerElement('Owner'), ['Buckets', children]]);
}

export function headBucket({ region }: Call): LocalResponse {
  return { status: 200, headers: { 'content-type': 'application/xml', 'x-amz-bucket-region': region } };
}

export function getBucketLocation({ region }: Call): LocalResponse {
  // `us-east-1` has an empty location constraint for historical reasons.
  const location = region === 'us-east-1' ? '' : region;
  return {
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: renderXml('LocationConstraint', location, s3Namespace),
  };
}
