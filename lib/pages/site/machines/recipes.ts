import { duckDbSecret, environmentCredentials } from '../duckdb.ts';

/** A text of a recipe that the user copies. The title names the file or program to paste it into. */
export interface Block {
  title: string;
  text: string;
}

/** Instructions that set up one client program. */
export interface ClientRecipe {
  id: string;
  client: string;
  blocks: readonly Block[];
  notes: readonly string[];
}

const olderClients =
  'AWS CLI from 2.13 (1.29) and boto3 from 1.28. Older versions ignore the endpoint and send the key to AWS, which rejects it.';
const presigning =
  'To presign URLs with AWS CLI 1, run first: aws configure set default.s3.signature_version s3v4. For boto3, use Config(signature_version="s3v4"). A URL expires with the credentials that signed it.';
const withoutSudo =
  'Without sudo: put the key into any file that only you can read, and its path into AWS_WEB_IDENTITY_TOKEN_FILE (in a profile: web_identity_token_file).';
const oneHour =
  'These credentials last an hour. Split longer transfers into shorter runs with new credentials, or use a client that renews them.';

interface MachineSettings {
  service_account_id: string;
  /** The environment variables for a client, with values from the API. None of them contains a key. */
  environment: { AWS_ENDPOINT_URL_S3: string; AWS_WEB_IDENTITY_TOKEN_FILE: string };
  shell: string;
  aws_config: string;
  /** The S3 URI of the data. The last line of the client's instructions reads or writes it. */
  s3Uri: string;
}

interface MachineClient extends Pick<ClientRecipe, 'id' | 'client' | 'notes'> {
  use: (settings: MachineSettings & { proxy: string }) => string;
  /** True when the client reads its settings from a profile in a file, not from environment variables. */
  hasProfile?: true;
  /**
   * True when the client cannot exchange a key for credentials by itself. The user must give it temporary credentials,
   * which are valid for an hour.
   */
  needsCredentials?: true;
}

const machineClients: readonly MachineClient[] = [
  {
    id: 'environment',
    client: 'AWS CLI and SDKs: environment',
    use: ({ s3Uri }) => `aws s3 ls ${s3Uri}\n`,
    notes: [
      olderClients,
      presigning,
      'The SDKs for JavaScript, Go, and Java, s3fs, deltalake, and zarr read the same settings.',
    ],
  },
  {
    id: 'profile',
    client: 'AWS CLI and SDKs: profile',
    hasProfile: true,
    use: ({ service_account_id, s3Uri }) => `aws --profile ${service_account_id} s3 ls ${s3Uri}\n`,
    notes: [olderClients],
  },
  {
    id: 'boto3',
    client: 'Python: boto3',
    use: ({ s3Uri }) => listByBoto3('boto3.client("s3")', s3Uri),
    notes: ['boto3 from 1.28. It renews its credentials automatically.'],
  },
  {
    id: 's3fs',
    client: 'Python: s3fs, pandas, xarray, polars',
    use: ({ s3Uri }) => `import s3fs\n\nprint(s3fs.S3FileSystem().ls(${JSON.stringify(s3Uri)}))\n`,
    notes: ['polars also needs boto3. Without boto3, it puts the key into a URL, and the exchange rejects it.'],
  },
  {
    id: 'javascript',
    client: 'JavaScript: AWS SDK',
    use: ({ s3Uri }) => javascript(s3Uri),
    notes: ['It renews its credentials automatically.'],
  },
  {
    id: 'rclone',
    client: 'rclone',
    use: ({ proxy, s3Uri }) =>
      `rclone --s3-provider Other --s3-env-auth --s3-endpoint ${proxy} lsf :s3:${bucketPath(s3Uri)}\n`,
    notes: ['rclone from 1.60. It renews its credentials automatically.'],
  },
  {
    id: 'duckdb',
    client: 'DuckDB',
    needsCredentials: true,
    use: ({ proxy, s3Uri }) => duckDb(proxy, s3Uri, environmentCredentials),
    notes: ['getenv works in the command line of DuckDB. In a program, insert the three values there.'],
  },
  {
    id: 'gdal',
    client: 'GDAL and QGIS',
    needsCredentials: true,
    use: ({ proxy, s3Uri }) => gdal(proxy, s3Uri),
    notes: [
      'GDAL from 3.6 would sign in by itself and put the key into a URL. Keep CPL_AWS_WEB_IDENTITY_ENABLE=NO with these settings.',
    ],
  },
  {
    id: 'restic',
    client: 'restic',
    needsCredentials: true,
    use: ({ proxy, s3Uri }) => restic(proxy, s3Uri),
    notes: ['Keep the line with unset. Otherwise restic sends the key to AWS.'],
  },
];

const credentialsByBoto3 = {
  title: 'Credentials for an hour, from boto3',
  text: `eval "$(python3 - <<'END'
import shlex
import boto3

issued = boto3.Session().get_credentials().get_frozen_credentials()
for name, value in zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"), issued):
    print(f"export {name}={shlex.quote(value)}")
END
)"
unset AWS_ROLE_ARN AWS_WEB_IDENTITY_TOKEN_FILE
`,
};

/**
 * Returns instructions for clients that sign in with a service account key. The key itself is in a file and never in
 * these texts.
 */
export function machineRecipes(settings: MachineSettings): ClientRecipe[] {
  const keyFile = settings.environment.AWS_WEB_IDENTITY_TOKEN_FILE;
  const folder = keyFile.slice(0, keyFile.lastIndexOf('/'));
  const proxy = settings.environment.AWS_ENDPOINT_URL_S3;
  const file = {
    title:
      'The key, in a file that only you can read. Run this as the user of the software, paste the key after the second line, and press Enter and Ctrl-D',
    text: `sudo install -d ${folder}\nsudo install -o "$(id -un)" -m 600 /dev/stdin ${keyFile}\n`,
  };
  return machineClients.map(({ id, client, use, notes, hasProfile, needsCredentials }) => ({
    id,
    client,
    blocks: [
      file,
      hasProfile
        ? { title: '~/.aws/config', text: settings.aws_config }
        : { title: 'Environment', text: settings.shell },
      ...(needsCredentials ? [credentialsByBoto3] : []),
      { title: 'Use', text: use({ ...settings, proxy }) },
    ],
    notes: [withoutSudo, ...(needsCredentials ? [oneHour] : []), ...notes],
  }));
}

interface KeyPair {
  /** The name of the AWS profile and of the rclone remote. */
  name: string;
  dataUrl: string;
  access_key_id: string;
  /** The secret, or `…` when the page no longer shows it. */
  secret_access_key: string;
  s3Uri: string;
}

/**
 * Returns instructions for clients that sign requests with an API key. They need the two parts of the key and the
 * endpoint.
 */
export function keyPairRecipes({ name, dataUrl, access_key_id, secret_access_key, s3Uri }: KeyPair): ClientRecipe[] {
  const credentials = {
    title: '~/.aws/credentials',
    text: `[${name}]\naws_access_key_id = ${access_key_id}\naws_secret_access_key = ${secret_access_key}\n`,
  };
  const config = {
    title: '~/.aws/config',
    text: `[profile ${name}]\nregion = us-east-1\nservices = ${name}\ns3 =\n  signature_version = s3v4\n\n[services ${name}]\ns3 =\n  endpoint_url = ${dataUrl}\n`,
  };
  const lines = `export AWS_ACCESS_KEY_ID=${access_key_id}\nexport AWS_SECRET_ACCESS_KEY=${secret_access_key}\nexport AWS_REGION=us-east-1\nexport AWS_DEFAULT_REGION=us-east-1\nexport AWS_ENDPOINT_URL_S3=${dataUrl}\n`;
  const environment = { title: 'A file that only you can read, for the shell to source', text: lines };
  const rclone = {
    title: '~/.config/rclone/rclone.conf',
    text: `[${name}]\ntype = s3\nprovider = Other\naccess_key_id = ${access_key_id}\nsecret_access_key = ${secret_access_key}\nregion = us-east-1\nendpoint = ${dataUrl}\n`,
  };
  const recipe = (id: string, client: string, settings: Block[], use: string, notes: string[] = []): ClientRecipe => ({
    id,
    client,
    blocks: [...settings, { title: 'Use', text: use }],
    notes,
  });
  const session = `boto3.Session(profile_name=${JSON.stringify(name)}).client("s3")`;
  const host = hostOf(dataUrl);
  const s3cmd = `s3cmd ${isHttp(dataUrl) ? '--no-ssl ' : ''}--host=${host} --host-bucket=${host} --region=us-east-1`;
  const pair = `  KEY_ID '${access_key_id}', SECRET '${secret_access_key}',\n`;
  const profile = [credentials, config];
  return [
    recipe('profile', 'AWS CLI and SDKs: profile', profile, `aws --profile ${name} s3 ls ${s3Uri}\n`, [olderClients]),
    recipe('environment', 'AWS CLI and SDKs: environment', [environment], `aws s3 ls ${s3Uri}\n`, [
      olderClients,
      presigning,
    ]),
    recipe('boto3', 'Python: boto3', profile, listByBoto3(session, s3Uri), ['boto3 from 1.28.']),
    recipe('rclone', 'rclone', [rclone], `rclone lsf ${name}:${bucketPath(s3Uri)}\n`),
    recipe('duckdb', 'DuckDB', [], duckDb(dataUrl, s3Uri, pair)),
    recipe('gdal', 'GDAL and QGIS', [environment], gdal(dataUrl, s3Uri)),
    recipe('s3cmd', 's3cmd', [environment], `${s3cmd} ls ${s3Uri}\n`),
  ];
}

function listByBoto3(client: string, s3Uri: string): string {
  const [bucket = '', ...prefix] = bucketPath(s3Uri).split('/');
  return `import boto3

found = ${client}.list_objects_v2(Bucket=${JSON.stringify(bucket)}, Prefix=${JSON.stringify(prefix.join('/'))})
print([item["Key"] for item in found.get("Contents", [])])
`;
}

function javascript(s3Uri: string): string {
  const [bucket = '', ...prefix] = bucketPath(s3Uri).split('/');
  return `import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';

const asked = new ListObjectsV2Command({ Bucket: ${JSON.stringify(bucket)}, Prefix: ${JSON.stringify(prefix.join('/'))} });
console.log((await new S3Client().send(asked)).Contents?.map(({ Key }) => Key));
`;
}

function restic(dataUrl: string, s3Uri: string): string {
  return `export RESTIC_REPOSITORY=s3:${dataUrl}/${bucketPath(s3Uri)}backup
restic init
restic backup .
`;
}

function duckDb(dataUrl: string, s3Uri: string, credentials: string): string {
  const [accountId = ''] = bucketPath(s3Uri).split('/');
  return `${duckDbSecret({ dataUrl, accountId, credentials })}FROM glob('${s3Uri}**');\n`;
}

function gdal(dataUrl: string, s3Uri: string): string {
  return `export AWS_S3_ENDPOINT=${hostOf(dataUrl)} AWS_VIRTUAL_HOSTING=FALSE CPL_AWS_WEB_IDENTITY_ENABLE=NO
${isHttp(dataUrl) ? 'export AWS_HTTPS=NO\n' : ''}gdalinfo /vsis3/${bucketPath(s3Uri)}raster.tif
`;
}

/** Returns the bucket and prefix of an S3 URI, without the scheme. */
function bucketPath(s3Uri: string): string {
  return s3Uri.replace(/^s3:\/\//, '');
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function isHttp(url: string): boolean {
  return url.startsWith('http:');
}
