import { isClear } from './commands.ts';

interface DuckDbSecret {
  dataUrl: string;
  /** The account, which is the bucket of its repositories. */
  accountId: string;
  /** The lines of a DuckDB secret with the credentials. Empty for anonymous reads. */
  credentials: string;
}

/** The lines of a DuckDB secret that reads the credentials from environment variables. */
export const environmentCredentials = `  KEY_ID getenv('AWS_ACCESS_KEY_ID'), SECRET getenv('AWS_SECRET_ACCESS_KEY'),
  SESSION_TOKEN getenv('AWS_SESSION_TOKEN'),
`;

/** Returns the statements with which DuckDB sends S3 requests to the data proxy. */
export function duckDbSecret({ dataUrl, accountId, credentials }: DuckDbSecret): string {
  const { host, protocol } = new URL(dataUrl);
  return `INSTALL httpfs;
LOAD httpfs;
CREATE SECRET sluice (
  TYPE s3,
${credentials}  REGION 'us-east-1', ENDPOINT '${host}', USE_SSL ${protocol !== 'http:'}, URL_STYLE 'path',
  SCOPE 's3://${accountId}'
);
`;
}

/** Quotes a text as a literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Returns true if DuckDB reads a path as one file, and not as a pattern of several. A terminal must show all its
 * characters.
 */
export function isPlainPath(path: string): boolean {
  return isClear(path) && !/[*?[\]{}]/.test(path);
}
