import { type RepositoryPath, repositorySegment } from '../../domain/data/open-data.ts';
import { listingInPython, localName, quoted, shell, shellName } from './commands.ts';
import { duckDbSecret, environmentCredentials, isPlainPath, sqlText } from './duckdb.ts';
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
  const { account_id } = repository;
  const segment = repositorySegment(repository);
  const isFile = key !== '' && !key.endsWith('/');
  const s3 = `s3://${account_id}/${segment}/${key}`;
  const prefix = `${segment}/${key}`;
  const target = isFile ? '.' : `./${segment}`;
  const client = `import boto3\n\ns3 = boto3.client("s3", endpoint_url=${quoted(dataProxyUrl)}, region_name="us-east-1")`;
  const pandas = pandasFor(dataProxyUrl, s3);
  const tables = isFile ? (pandas === undefined ? [] : [s3]) : hasParquetBelow ? [`${s3}**/*.parquet`] : [];
  const { host, protocol } = new URL(dataProxyUrl);
  const https = protocol === 'http:' ? 'AWS_HTTPS=NO' : 'AWS_HTTPS=YES';
  const python =
    pandas ??
    (isFile
      ? `${client}\ns3.download_file(${quoted(account_id)}, ${quoted(prefix)}, ${quoted(localName(key))})`
      : listingInPython(client, account_id, prefix));
  return [
    ...(isIcechunk ? [icechunkFor(dataProxyUrl, account_id, prefix, 'from_env')] : []),
    {
      tool: 'AWS CLI',
      commands: isFile
        ? shell`aws --endpoint-url ${dataProxyUrl} s3 cp ${s3} ${shellName(prefix)}`
        : shell`aws --endpoint-url ${dataProxyUrl} s3 ls --recursive ${s3}\naws --endpoint-url ${dataProxyUrl} s3 sync ${s3} ${target}`,
    },
    { tool: 'Python', language: 'python', commands: python },
    ...(isPlainPath(s3) ? tables : []).map((path) => ({
      tool: 'DuckDB',
      commands: `-- for the command line of DuckDB, which has getenv\n${duckDbSecret({ dataUrl: dataProxyUrl, accountId: account_id, credentials: environmentCredentials })}SELECT * FROM ${sqlText(path)} LIMIT 10;`,
    })),
    ...qgisFor(
      key,
      shell`AWS_S3_ENDPOINT=${host} AWS_VIRTUAL_HOSTING=FALSE CPL_AWS_WEB_IDENTITY_ENABLE=NO ${https} qgis ${`/vsis3/${account_id}/${prefix}`}`,
    ),
    {
      tool: 'rclone',
      commands: shell`rclone copy --s3-provider Other --s3-env-auth --s3-endpoint ${dataProxyUrl} ${`:s3:${account_id}/${prefix}`} ${target}`,
    },
  ];
}

/** Returns the commands that read a table with pandas. Undefined for a file that is no table. */
function pandasFor(dataProxyUrl: string, uri: string): string | undefined {
  const reader = /\.parquet$/i.test(uri) ? 'read_parquet' : /\.(csv|tsv)(\.gz)?$/i.test(uri) ? 'read_csv' : undefined;
  if (reader === undefined) return undefined;
  const [path, endpoint] = [uri, dataProxyUrl].map(quoted);
  const separator = reader === 'read_csv' ? ', sep=None, engine="python"' : '';
  return `# needs the package s3fs\nimport pandas\n\ntable = pandas.${reader}(${path}${separator},\n    storage_options={"client_kwargs": {"endpoint_url": ${endpoint}, "region_name": "us-east-1"}})\nprint(table.head())`;
}
