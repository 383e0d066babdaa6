import { describe, expect, test } from 'vitest';
import { clientFixture, schemes } from './fixtures/client-fixture.ts';
import { documentedExample } from './fixtures/documented-example.ts';
import { findPythonClient } from './fixtures/python-clients.ts';

const duckdb = findPythonClient('duckdb', 'tools');

/** Loads the extension from PyPI's package, runs the statements in its input, and prints each result. */
const program = `
import sys, pathlib, duckdb, duckdb_extension_httpfs
[extension] = pathlib.Path(duckdb_extension_httpfs.__file__).parent.glob("extensions/*/httpfs.duckdb_extension")
connection = duckdb.connect()
connection.load_extension(str(extension))
for statement in connection.extract_statements(sys.stdin.read()):
    connection.execute(statement)
    if statement.type == duckdb.StatementType.SELECT:
        print(*connection.fetchone())
`;

const storages = [
  ...schemes.map((scheme) => ({ over: scheme, scheme, onAccountStorage: false })),
  { over: 'http on storage of an account by a role', scheme: 'http', onAccountStorage: true },
] as const;

describe.skipIf(duckdb.isMissing).each(storages)(`${duckdb.title} over $over`, { timeout: 120_000 }, (row) => {
  const { scheme, onAccountStorage } = row;
  const fixture = clientFixture(scheme, { withDataSet: true, onAccountStorage });

  /** Returns the statements of the page, with the reader's own values. */
  function statements(): string {
    const { host, protocol } = new URL(fixture.dataUrl);
    const { accessKeyId, secretAccessKey, sessionToken } = fixture.credentials;
    const sql = documentedExample('gdal-and-duckdb.md', 'DuckDB', 'sql', fixture.dataUrl)
      .replace('INSTALL httpfs;\nLOAD httpfs;', trust())
      .replace(
        "KEY_ID '…', SECRET '…', SESSION_TOKEN '…'",
        () => `KEY_ID '${accessKeyId}', SECRET '${secretAccessKey}', SESSION_TOKEN '${sessionToken}'`,
      )
      .replace("ENDPOINT '127.0.0.1:8788', USE_SSL false", `ENDPOINT '${host}', USE_SSL ${protocol === 'https:'}`);
    expect(sql).not.toContain('…');
    return sql;
  }
  const trust = () => {
    const trusted = fixture.trust['SSL_CERT_FILE'];
    return trusted === undefined ? '' : `SET ca_cert_file = '${trusted}';`;
  };
  const run = (sql: string) => duckdb.run(['-c', program], { HOME: fixture.folder }, sql);

  test('reads open data, and writes and reads Parquet by its example', async () => {
    const sql = statements();
    const answers = [...sql.matchAll(/; +-- (.*)$/gm)].map(([, answer]) => `${answer}\n`);
    expect(answers).toHaveLength(2);
    expect(await run(sql)).toBe(answers.join(''));
  });

  test('reads a column of open data without settings by the example for readers', async () => {
    const sql = documentedExample('reading-open-data.md', 'DuckDB', 'sql', fixture.dataUrl);
    expect(await run(trust() + sql)).toBe('Afghanistan\n');
  });

  test('reports the refusal of a repository without a grant', async () => {
    await expect(run(statements().replaceAll('raw-drafts', 'not-granted'))).rejects.toThrow(
      /403.*The repository does not exist or these credentials do not allow this/s,
    );
  });
});
