import { type RepositoryPath, repositorySegment } from '../../domain/data/open-data.ts';
import { duckDbSecret, environmentCredentials, isPlainPath, sqlText } from './duckdb.ts';
import { shellWord } from './format.ts';
import { icechunkFor, qgisFor, type Recipe } from './use-it.tsx';

/**
 * Returns commands that read a repository, a folder, or a file for which the reader needs credentials. The tools take
 * the credentials from the environment or from a profile, so no command contains a secret.
 */
export function signedRecipesFor(
  dataProxyUrl: string,
  repository: RepositoryPath,
  key: string,
  { hasParquetBelow = false, isIcechunk = false }: { hasParquetBelow?: boolean; isIcechunk?: boolean } = {},
): Recipe[] {
  // A terminal may treat control characters in pasted text as keystrokes.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(key)) return [];
  const { account_id } = repository;
  const segment = repositorySegment(repository);
  const isFile = key !== '' && !key.endsWith('/');
  const aws = `aws --endpoint-url ${shellWord(dataProxyUrl)} s3`;
  const uri = `s3://${account_id}/${segment}/${key}`;
  const s3 = shellWord(uri);
  const source = shellWord(`:s3:${account_id}/${segment}/${key}`);
  const target = shellWord(isFile ? '.' : `./${segment}`);
  const client = `import boto3\n\ns3 = boto3.client("s3", endpoint_url=${JSON.stringify(dataProxyUrl)}, region_name="us-east-1")`;
  const [bucket, prefix] = [account_id, `${segment}/${key}`].map((text) => JSON.stringify(text));
  const fileName = (key.split('/').at(-1) ?? '').replaceAll('\\', '_');
  const pandas = pandasFor(dataProxyUrl, uri);
  const tables = isFile ? (pandas === undefined ? [] : [uri]) : hasParquetBelow ? [`${uri}**/*.parquet`] : [];
  const { host, protocol } = new URL(dataProxyUrl);
  const gdal = `AWS_S3_ENDPOINT=${host} AWS_VIRTUAL_HOSTING=FALSE CPL_AWS_WEB_IDENTITY_ENABLE=NO ${protocol === 'http:' ? 'AWS_HTTPS=NO ' : ''}`;
  const python =
    pandas ??
    (isFile
      ? `${client}\ns3.download_file(${bucket}, ${prefix}, ${JSON.stringify(fileName)})`
      : `${client}\nfor page in s3.get_paginator("list_objects_v2").paginate(Bucket=${bucket}, Prefix=${prefix}):\n    for item in page.get("Contents", []):\n        print(item["Key"], item["Size"])`);
  return [
    ...(isIcechunk ? [icechunkFor(dataProxyUrl, account_id, `${segment}/${key}`, 'from_env')] : []),
    {
      tool: 'AWS CLI',
      commands: isFile ? `${aws} cp ${s3} .` : `${aws} ls --recursive ${s3}\n${aws} sync ${s3} ${target}`,
    },
    { tool: 'Python', language: 'python', commands: python },
    ...(isPlainPath(uri) ? tables : []).map((path) => ({
      tool: 'DuckDB',
      commands: `-- for the command line of DuckDB, which has getenv\n${duckDbSecret({ dataUrl: dataProxyUrl, accountId: account_id, credentials: environmentCredentials })}SELECT * FROM ${sqlText(path)} LIMIT 10;`,
    })),
    ...qgisFor(gdal, `/vsis3/${account_id}/${segment}/${key}`, fileName),
    {
      tool: 'rclone',
      commands: `rclone copy --s3-provider Other --s3-env-auth --s3-endpoint ${shellWord(dataProxyUrl)} ${source} ${target}`,
    },
  ];
}

/** Returns the commands that read a table with pandas. Undefined for a file that is no table. */
function pandasFor(dataProxyUrl: string, uri: string): string | undefined {
  const reader = /\.parquet$/i.test(uri) ? 'read_parquet' : /\.(csv|tsv)(\.gz)?$/i.test(uri) ? 'read_csv' : undefined;
  if (reader === undefined) return undefined;
  const [path, endpoint] = [uri, dataProxyUrl].map((text) => JSON.stringify(text));
  const separator = reader === 'read_csv' ? ', sep=None, engine="python"' : '';
  return `# needs the package s3fs\nimport pandas\n\ntable = pandas.${reader}(${path}${separator},\n    storage_options={"client_kwargs": {"endpoint_url": ${endpoint}, "region_name": "us-east-1"}})\nprint(table.head())`;
}
