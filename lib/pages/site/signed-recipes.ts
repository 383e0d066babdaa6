import { type RepositoryPath, repositorySegment } from '../../domain/data/open-data.ts';
import { shellWord } from './format.ts';
import type { Recipe } from './use-it.tsx';

/**
 * Returns commands that read a repository, a folder, or a file for which the reader needs credentials. The tools take
 * the credentials from the environment or from a profile, so no command contains a secret.
 */
export function signedRecipesFor(dataProxyUrl: string, repository: RepositoryPath, key: string): Recipe[] {
  // A terminal may treat control characters in pasted text as keystrokes.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(key)) return [];
  const { account_id } = repository;
  const segment = repositorySegment(repository);
  const isFile = key !== '' && !key.endsWith('/');
  const aws = `aws --endpoint-url ${shellWord(dataProxyUrl)} s3`;
  const s3 = shellWord(`s3://${account_id}/${segment}/${key}`);
  const source = shellWord(`:s3:${account_id}/${segment}/${key}`);
  const target = shellWord(isFile ? '.' : `./${segment}`);
  const client = `import boto3\n\ns3 = boto3.client("s3", endpoint_url=${JSON.stringify(dataProxyUrl)}, region_name="us-east-1")`;
  const [bucket, prefix] = [account_id, `${segment}/${key}`].map((text) => JSON.stringify(text));
  const fileName = (key.split('/').at(-1) ?? '').replaceAll('\\', '_');
  const python = isFile
    ? `${client}\ns3.download_file(${bucket}, ${prefix}, ${JSON.stringify(fileName)})`
    : `${client}\nfor page in s3.get_paginator("list_objects_v2").paginate(Bucket=${bucket}, Prefix=${prefix}):\n    for item in page.get("Contents", []):\n        print(item["Key"], item["Size"])`;
  return [
    {
      tool: 'AWS CLI',
      commands: isFile ? `${aws} cp ${s3} .` : `${aws} ls --recursive ${s3}\n${aws} sync ${s3} ${target}`,
    },
    { tool: 'Python', commands: python },
    {
      tool: 'rclone',
      commands: `rclone copy --s3-provider Other --s3-env-auth --s3-endpoint ${shellWord(dataProxyUrl)} ${source} ${target}`,
    },
  ];
}
