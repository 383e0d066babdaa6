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
 * Returns the session policy (IAM user guide, "Session policies") for the role of a connection. It allows only the
 * connection's bucket below its base prefix, and allows writes only if the connection does. The policy limits the
 * damage of a mistake in the proxy or of stolen temporary credentials.
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
      allow(['s3:ListBucket', 's3:ListBucketVersions'], bucket, {
        StringLike: { 's3:prefix': `${details.base_prefix}*` },
      }),
      // Allow `ListBucketMultipartUploads` for the whole bucket, because IAM has no condition key for the prefix of
      // this action.
      ...(read_only ? [] : [allow(['s3:ListBucketMultipartUploads'], bucket)]),
      // Allow the use of KMS keys, because some buckets require it. The condition allows their use only through S3.
      allow(read_only ? ['kms:Decrypt'] : ['kms:Decrypt', 'kms:GenerateDataKey'], '*', {
        StringLike: { 'kms:ViaService': 's3.*.amazonaws.*' },
      }),
    ],
  });
}
