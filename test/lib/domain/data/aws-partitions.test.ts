import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { isHostOfS3, partitionOf, partitionOfHost } from '../../../../lib/domain/data/aws-partitions.ts';

const { endpointProvider } = new S3Client({ region: 'eu-west-1' }).config;

/** Returns the host to which the AWS SDK sends requests for S3. With a bucket, it is the host of this bucket. */
function hostOfSdk(Region: string, options: { UseFIPS?: boolean; UseDualStack?: boolean; Bucket?: string }): string {
  return endpointProvider({ Region, ...options }).url.hostname;
}

test.each([
  ['aws', 'eu-west-1'],
  ['aws', 'us-east-1'],
  ['aws', 'us-west-2'],
  ['aws', 'ap-southeast-5'],
  ['aws', 'il-central-1'],
  ['aws', 'mx-central-1'],
  ['aws-cn', 'cn-north-1'],
  ['aws-cn', 'cn-northwest-1'],
  ['aws-us-gov', 'us-gov-west-1'],
  ['aws-us-gov', 'us-gov-east-1'],
  ['aws-eusc', 'eusc-de-east-1'],
  ['aws-iso', 'us-iso-east-1'],
  ['aws-iso-b', 'us-isob-east-1'],
  ['aws-iso-e', 'eu-isoe-west-1'],
  ['aws-iso-f', 'us-isof-south-1'],
])('all hosts that the AWS SDK uses in %s belong to this partition: %s', (id, region) => {
  expect(partitionOf(region).id).toBe(id);
  const isOfChina = id === 'aws-cn';
  for (const UseFIPS of isOfChina ? [false] : [false, true]) {
    for (const UseDualStack of [false, true]) {
      const host = hostOfSdk(region, { UseFIPS, UseDualStack });
      expect([host, partitionOfHost(host)?.id, isHostOfS3(host)]).toEqual([host, id, true]);
      const ofBucket = hostOfSdk(region, { UseFIPS, UseDualStack, Bucket: 'victim' });
      expect([ofBucket, partitionOfHost(ofBucket)?.id, isHostOfS3(ofBucket)]).toEqual([ofBucket, id, false]);
    }
  }
});

test.each([
  'bucket.s3.eu-west-1.amazonaws.com',
  'bucket.s3.amazonaws.com',
  's3.bucket.s3.eu-west-1.amazonaws.com',
  's3-bucket.s3.dualstack.eu-west-1.amazonaws.com',
  'bucket.s3-accelerate.amazonaws.com',
  's3-accelerate.amazonaws.com',
  'point-111122223333.s3-accesspoint.eu-west-1.amazonaws.com',
  'bucket.s3-website.eu-west-1.amazonaws.com',
  'bucket.s3.eusc-de-east-1.amazonaws.eu',
  'bucket.s3.cn-north-1.amazonaws.com.cn',
  'sts.eu-west-1.amazonaws.com',
  'amazonaws.com',
])('%s is not a host of S3', (host) => expect(isHostOfS3(host)).toBe(false));

test.each(['notamazonaws.com', 'amazonaws.com.example.org', 'storage.example.org', ''])(
  '%s is not a host of AWS',
  (host) => expect(partitionOfHost(host)).toBeUndefined(),
);
