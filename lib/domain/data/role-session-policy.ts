import type { DataConnectionDetails } from './data-connections.ts';

const readActions = ['s3:GetObject', 's3:GetObjectTagging', 's3:GetObjectVersion', 's3:GetObjectVersionTagging'];
const writeActions = [
  's3:AbortMultipartUpload',
  's3:DeleteObject',
  's3:DeleteObjectTagging',
  's3:ListMultipartUploadParts',
  's3:PutObject',
  's3:PutObjectTagging',
];

/**
 * The session policy (IAM user guide, "Session policies") of a role that is assumed for a connection: its bucket below
 * its base prefix, read alone where the connection is read-only. A role that may more, in other buckets too, lends
 * nothing of it, whatever a mistake of ours or a stolen token would ask for.
 */
export function roleSessionPolicy(
  roleArn: string,
  { details, read_only }: { details: DataConnectionDetails; read_only: boolean },
): string {
  const partition = roleArn.split(':')[1] ?? 'aws';
  const bucket = `arn:${partition}:s3:::${details.bucket}`;
  const allow = (actions: readonly string[], resource: string, condition?: object) => ({
    Effect: 'Allow',
    Action: actions,
    Resource: resource,
    ...(condition === undefined ? {} : { Condition: condition }),
  });
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      allow([...readActions, ...(read_only ? [] : writeActions)], `${bucket}/${details.base_prefix}*`),
      allow(['s3:ListBucket'], bucket, { StringLike: { 's3:prefix': `${details.base_prefix}*` } }),
      // It has no condition on the prefix.
      ...(read_only ? [] : [allow(['s3:ListBucketMultipartUploads'], bucket)]),
      // Of buckets that encrypt with a KMS key, which only S3 uses then.
      allow(read_only ? ['kms:Decrypt'] : ['kms:Decrypt', 'kms:GenerateDataKey'], '*', {
        StringLike: { 'kms:ViaService': 's3.*.amazonaws.com*' },
      }),
    ],
  });
}
