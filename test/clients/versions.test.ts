import path from 'node:path';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { s3Client } from '../service/data-clients.ts';
import { versionsOf } from '../service/frozen-versions.ts';
import { awsClis } from './fixtures/aws-cli.ts';
import { type ClientFixture, clientFixture } from './fixtures/client-fixture.ts';
import { findClient, findEachRelease, type InstalledClient } from './fixtures/installed-client.ts';
import { boto3s, findPythonClient } from './fixtures/python-clients.ts';
import { bucket } from './fixtures/transfers.ts';

/** Stock clients that read one version of a repository, after its objects were overwritten and deleted. */

const version = 'raw-drafts@v1.0';
const objects = { 'a.csv': 'station,height\nbrest,4.2\n', 'sub/b ä+.txt': 'below a folder' };

/** Reads `a.csv` and lists all keys of the version, without the version. */
type Reader = (fixture: ClientFixture) => Promise<{ text: string; keys: string[] }>;

/** Runs a program that prints JSON: the text, and the names of the objects. */
function python(client: InstalledClient, program: string, env: (fixture: ClientFixture) => Record<string, string>) {
  const reader: Reader = async (fixture) => {
    const text = `import json, sys\n[url, root] = sys.argv[1:]\n${program}\nprint(json.dumps({"text": text, "keys": keys}))`;
    const args = ['-c', text, fixture.dataUrl, `${bucket}/${version}`];
    return JSON.parse(await client.run(args, { ...env(fixture), PYTHONUTF8: '1' }));
  };
  return [client, reader] as const;
}

const fixed = ({ fixedSettings }: ClientFixture) => fixedSettings;
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

const boto3Program = `
import boto3
s3 = boto3.client("s3", endpoint_url=url)
account, version = root.split("/")
text = s3.get_object(Bucket=account, Key=version + "/a.csv")["Body"].read().decode()
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=account, Prefix=version + "/", PaginationConfig={"PageSize": 1})
keys = [entry["Key"][len(version) + 1:] for page in pages for entry in page["Contents"]]
`;
const s3fsProgram = `
import s3fs
fs = s3fs.S3FileSystem(endpoint_url=url)
text = fs.cat(root + "/a.csv").decode()
assert fs.isdir(root) and fs.isdir(root + "/sub") and fs.isfile(root + "/a.csv")
keys = [key[len(root) + 1:] for key in fs.find(root)]
`;
const pyarrowProgram = `
from pyarrow import fs
s3 = fs.S3FileSystem(endpoint_override=url, allow_bucket_creation=False)
text = s3.open_input_file(root + "/a.csv").read().decode()
infos = s3.get_file_info(fs.FileSelector(root, recursive=True))
keys = [info.path[len(root) + 1:] for info in infos if info.is_file]
`;
const duckdbProgram = `
import pathlib, os, duckdb, duckdb_extension_httpfs
[extension] = pathlib.Path(duckdb_extension_httpfs.__file__).parent.glob("extensions/*/httpfs.duckdb_extension")
connection = duckdb.connect()
connection.load_extension(str(extension))
secret = {"KEY_ID": "AWS_ACCESS_KEY_ID", "SECRET": "AWS_SECRET_ACCESS_KEY", "SESSION_TOKEN": "AWS_SESSION_TOKEN"}
values = ", ".join(f"{name} '{os.environ[variable]}'" for name, variable in secret.items())
host = url.split("//")[1]
connection.execute(f"CREATE SECRET (TYPE s3, {values}, ENDPOINT '{host}', USE_SSL false, URL_STYLE 'path')")
[[text]] = connection.execute(f"SELECT content FROM read_text('s3://{root}/a.csv')").fetchall()
found = connection.execute(f"SELECT file FROM glob('s3://{root}/**')").fetchall()
keys = [name.split(root + "/")[1] for [name] in found]
`;
const gdalProgram = `
from osgeo import gdal
gdal.UseExceptions()
at = "/vsis3/" + root
file = gdal.VSIFOpenL(at + "/a.csv", "rb")
text = gdal.VSIFReadL(1, 1000, file).decode()
keys = [name for name in gdal.ReadDirRecursive(at) if not name.endswith("/")]
`;

const gdal = findClient('GDAL', ['/usr/bin/python3'], {
  versionArgs: ['-c', 'from osgeo import gdal; print(gdal.__version__)'],
});
const rclones = findEachRelease('rclone', [path.resolve('.clients/go/rclone'), 'rclone', '/usr/bin/rclone'], [], {
  versionArgs: ['version'],
});
const curl = findClient('curl', ['curl', '--silent', '--show-error', '--fail-with-body'], { versionMin: '7.87' });

const readers: (readonly [InstalledClient, Reader])[] = [
  ...awsClis.map((aws) => {
    const reader: Reader = async ({ dataUrl, fixedSettings }) => {
      const run = (...args: string[]) => aws.run(['--endpoint-url', dataUrl, 's3', ...args], fixedSettings);
      const listed = await run('ls', '--recursive', `s3://${bucket}/${version}/`);
      const keys = linesOf(listed).map((line) => line.slice(line.indexOf(version) + version.length + 1));
      return { text: await run('cp', `s3://${bucket}/${version}/a.csv`, '-'), keys };
    };
    return [aws, reader] as const;
  }),
  ...boto3s.map((boto3) => python(boto3, boto3Program, fixed)),
  python(findPythonClient('s3fs', 'tools'), s3fsProgram, fixed),
  python(findPythonClient('pyarrow', 'tools'), pyarrowProgram, fixed),
  python(findPythonClient('duckdb', 'tools'), duckdbProgram, fixed),
  python(gdal, gdalProgram, ({ fixedSettings, dataUrl }) => ({
    ...fixedSettings,
    AWS_S3_ENDPOINT: new URL(dataUrl).host,
    AWS_HTTPS: 'NO',
    AWS_VIRTUAL_HOSTING: 'FALSE',
  })),
  ...rclones.map((rclone) => {
    const reader: Reader = async ({ dataUrl, fixedSettings, folder }) => {
      const remote = `:s3,provider=Other,env_auth,endpoint="${dataUrl}":${bucket}/${version}`;
      const run = (...args: string[]) => rclone.run(args, { ...fixedSettings, RCLONE_CONFIG: `${folder}/none.conf` });
      const keys = linesOf(await run('lsf', '--recursive', '--files-only', remote));
      return { text: await run('cat', `${remote}/a.csv`), keys };
    };
    return [rclone, reader] as const;
  }),
  [
    curl,
    async ({ dataUrl, credentials }) => {
      const { accessKeyId, secretAccessKey, sessionToken } = credentials;
      const config = `user = "${accessKeyId}:${secretAccessKey}"\nheader = "x-amz-security-token: ${sessionToken}"`;
      const signing = ['--config', '-', '--aws-sigv4', 'aws:amz:anywhere-1:s3'];
      const payload = ['--header', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'];
      const get = (target: string) => curl.run([...signing, ...payload, `${dataUrl}/${bucket}${target}`], {}, config);
      const encoded = encodeURIComponent(version);
      const listed = await get(`?list-type=2&prefix=${encoded}%2F`);
      const keys = [...listed.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key.slice(version.length + 1));
      return { text: await get(`/${encoded}/a.csv`), keys };
    },
  ],
];

describe('one version of a repository', { timeout: 120_000 }, () => {
  const fixture = clientFixture();

  beforeAll(async () => {
    const s3 = s3Client(fixture, fixture.credentials);
    const at = (key: string) => ({ Bucket: bucket, Key: `raw-drafts/${key}` });
    for (const [key, Body] of Object.entries(objects)) await s3.send(new PutObjectCommand({ ...at(key), Body }));
    const versions = versionsOf(fixture.service);
    await versions.createVersion('raw-drafts', 'v1.0');
    versions.storageClient.destroy();
    await s3.send(new PutObjectCommand({ ...at('a.csv'), Body: 'overwritten' }));
    await s3.send(new DeleteObjectCommand(at('sub/b ä+.txt')));
    await s3.send(new PutObjectCommand({ ...at('new.csv'), Body: 'new' }));
  });

  for (const [client, read] of readers) {
    test.skipIf(client.isMissing)(`is read and listed by ${client.title}`, async () => {
      const { text, keys } = await read(fixture);
      expect(text).toBe(objects['a.csv']);
      expect(keys.toSorted()).toEqual(Object.keys(objects));
    });
  }
});
