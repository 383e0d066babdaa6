/** One text to paste, and the file or program for it. */
export interface Block {
  place: string;
  text: string;
}

/** The setup of one client. */
export interface ClientRecipe {
  id: string;
  client: string;
  blocks: readonly Block[];
  notes: readonly string[];
}

/** Placeholder for a secret that is no longer shown. */
export const withheld = '…';

const olderClients =
  'AWS CLI from 2.13 (1.29) and boto3 from 1.28. Older ones do not read the endpoint: they send the key to AWS, which refuses it.';
const presigning =
  'To presign URLs with AWS CLI 1, run first: aws configure set default.s3.signature_version s3v4. For boto3 it is Config(signature_version="s3v4"). A URL lasts no longer than what signed it.';
const withoutSudo =
  'Without sudo: put the key into any file that only you read, and the path of it into AWS_WEB_IDENTITY_TOKEN_FILE (in a profile: web_identity_token_file).';
const oneHour =
  'These credentials last an hour. Split longer transfers into runs of less, each with new ones, or use a client that renews them.';

interface MachineSettings {
  service_account_id: string;
  /** The settings as the API fills them in. None of them contains a key. */
  environment: { AWS_ENDPOINT_URL_S3: string; AWS_WEB_IDENTITY_TOKEN_FILE: string };
  shell: string;
  aws_config: string;
  /** The S3 URI of the data, for the last line. */
  s3Uri: string;
}

/**
 * Returns the setup of clients that sign in with a service-account key. The key is in a file, so none of these texts
 * contains it.
 */
export function machineRecipes({
  service_account_id,
  environment,
  shell,
  aws_config,
  s3Uri,
}: MachineSettings): ClientRecipe[] {
  const keyFile = environment.AWS_WEB_IDENTITY_TOKEN_FILE;
  const folder = keyFile.slice(0, keyFile.lastIndexOf('/'));
  const proxy = environment.AWS_ENDPOINT_URL_S3;
  const file = {
    place:
      'The key, into a file that only you read, as the user that the software runs as (paste it after the second line, then Enter and Ctrl-D)',
    text: `sudo install -d ${folder}\nsudo install -o "$(id -un)" -m 600 /dev/stdin ${keyFile}\n`,
  };
  const settings = { place: 'Environment', text: shell };
  const fixedSet = {
    place: 'Credentials of an hour, by boto3',
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
  const recipes: ClientRecipe[] = [
    {
      id: 'environment',
      client: 'AWS CLI and SDKs: environment',
      blocks: [file, settings, { place: 'Use', text: `aws s3 ls ${s3Uri}\n` }],
      notes: [
        olderClients,
        presigning,
        'The SDKs for JavaScript, Go and Java, s3fs, deltalake and zarr read the same settings.',
      ],
    },
    {
      id: 'profile',
      client: 'AWS CLI and SDKs: profile',
      blocks: [
        file,
        { place: '~/.aws/config', text: aws_config },
        { place: 'Use', text: `aws --profile ${service_account_id} s3 ls ${s3Uri}\n` },
      ],
      notes: [olderClients],
    },
    {
      id: 'boto3',
      client: 'Python: boto3',
      blocks: [file, settings, { place: 'Use', text: listByBoto3('boto3.client("s3")', s3Uri) }],
      notes: ['boto3 from 1.28. It renews its credentials by itself.'],
    },
    {
      id: 's3fs',
      client: 'Python: s3fs, pandas, xarray, polars',
      blocks: [
        file,
        settings,
        { place: 'Use', text: `import s3fs\n\nprint(s3fs.S3FileSystem().ls(${JSON.stringify(s3Uri)}))\n` },
      ],
      notes: ['polars needs boto3 beside it: without it, it puts the key into a URL, which is refused.'],
    },
    {
      id: 'javascript',
      client: 'JavaScript: AWS SDK',
      blocks: [file, settings, { place: 'Use', text: javascript(s3Uri) }],
      notes: ['It renews its credentials by itself.'],
    },
    {
      id: 'rclone',
      client: 'rclone',
      blocks: [
        file,
        settings,
        {
          place: 'Use',
          text: `rclone --s3-provider Other --s3-env-auth --s3-endpoint ${proxy} lsf :s3:${bucketPath(s3Uri)}\n`,
        },
      ],
      notes: ['rclone from 1.60. It renews its credentials by itself.'],
    },
    {
      id: 'duckdb',
      client: 'DuckDB',
      blocks: [file, settings, fixedSet, { place: 'Use', text: duckDb(proxy, s3Uri, getenvs) }],
      notes: [oneHour, 'getenv works in the command line of DuckDB; in a program put the three values there.'],
    },
    {
      id: 'gdal',
      client: 'GDAL and QGIS',
      blocks: [file, settings, fixedSet, { place: 'Use', text: gdal(proxy, s3Uri) }],
      notes: [
        oneHour,
        'GDAL from 3.6 would sign in by itself and put the key into a URL: keep CPL_AWS_WEB_IDENTITY_ENABLE=NO wherever the settings are.',
      ],
    },
    {
      id: 'restic',
      client: 'restic',
      blocks: [file, settings, fixedSet, { place: 'Use', text: restic(proxy, s3Uri) }],
      notes: [oneHour, 'Keep the line with unset: restic would send the key to AWS.'],
    },
  ];
  return recipes.map((recipe) => ({ ...recipe, notes: [withoutSudo, ...recipe.notes] }));
}

interface KeyPair {
  /** The name of the profile and of the remote. */
  name: string;
  dataUrl: string;
  access_key_id: string;
  /** `withheld` if the secret is no longer shown. */
  secret_access_key: string;
  s3Uri: string;
}

/** Returns the setup of clients that sign with an API key. They need only the key pair and the endpoint. */
export function keyPairRecipes({ name, dataUrl, access_key_id, secret_access_key, s3Uri }: KeyPair): ClientRecipe[] {
  const credentials = {
    place: '~/.aws/credentials',
    text: `[${name}]\naws_access_key_id = ${access_key_id}\naws_secret_access_key = ${secret_access_key}\n`,
  };
  const config = {
    place: '~/.aws/config',
    text: `[profile ${name}]\nregion = us-east-1\nservices = ${name}\ns3 =\n  signature_version = s3v4\n\n[services ${name}]\ns3 =\n  endpoint_url = ${dataUrl}\n`,
  };
  const lines = `export AWS_ACCESS_KEY_ID=${access_key_id}\nexport AWS_SECRET_ACCESS_KEY=${secret_access_key}\nexport AWS_REGION=us-east-1\nexport AWS_DEFAULT_REGION=us-east-1\nexport AWS_ENDPOINT_URL_S3=${dataUrl}\n`;
  const environment = { place: 'A file that only you read, to be sourced by the shell', text: lines };
  return [
    {
      id: 'profile',
      client: 'AWS CLI and SDKs: profile',
      blocks: [credentials, config, { place: 'Use', text: `aws --profile ${name} s3 ls ${s3Uri}\n` }],
      notes: [olderClients],
    },
    {
      id: 'environment',
      client: 'AWS CLI and SDKs: environment',
      blocks: [environment, { place: 'Use', text: `aws s3 ls ${s3Uri}\n` }],
      notes: [olderClients, presigning],
    },
    {
      id: 'boto3',
      client: 'Python: boto3',
      blocks: [
        credentials,
        config,
        { place: 'Use', text: listByBoto3(`boto3.Session(profile_name=${JSON.stringify(name)}).client("s3")`, s3Uri) },
      ],
      notes: ['boto3 from 1.28.'],
    },
    {
      id: 'rclone',
      client: 'rclone',
      blocks: [
        {
          place: '~/.config/rclone/rclone.conf',
          text: `[${name}]\ntype = s3\nprovider = Other\naccess_key_id = ${access_key_id}\nsecret_access_key = ${secret_access_key}\nregion = us-east-1\nendpoint = ${dataUrl}\n`,
        },
        { place: 'Use', text: `rclone lsf ${name}:${bucketPath(s3Uri)}\n` },
      ],
      notes: [],
    },
    {
      id: 'duckdb',
      client: 'DuckDB',
      blocks: [
        {
          place: 'Use',
          text: duckDb(dataUrl, s3Uri, `  KEY_ID '${access_key_id}', SECRET '${secret_access_key}',\n`),
        },
      ],
      notes: [],
    },
    {
      id: 'gdal',
      client: 'GDAL and QGIS',
      blocks: [environment, { place: 'Use', text: gdal(dataUrl, s3Uri) }],
      notes: [],
    },
    {
      id: 's3cmd',
      client: 's3cmd',
      blocks: [
        environment,
        {
          place: 'Use',
          text: `s3cmd ${isHttp(dataUrl) ? '--no-ssl ' : ''}--host=${hostOf(dataUrl)} --host-bucket=${hostOf(dataUrl)} --region=us-east-1 ls ${s3Uri}\n`,
        },
      ],
      notes: [],
    },
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

const getenvs = `  KEY_ID getenv('AWS_ACCESS_KEY_ID'), SECRET getenv('AWS_SECRET_ACCESS_KEY'),
  SESSION_TOKEN getenv('AWS_SESSION_TOKEN'),
`;

function duckDb(dataUrl: string, s3Uri: string, pair: string): string {
  return `INSTALL httpfs;
LOAD httpfs;
CREATE SECRET sluice (
  TYPE s3,
${pair}  REGION 'us-east-1', ENDPOINT '${hostOf(dataUrl)}', USE_SSL ${!isHttp(dataUrl)}, URL_STYLE 'path',
  SCOPE 's3://${bucketPath(s3Uri).split('/')[0]}'
);
FROM glob('${s3Uri}**');
`;
}

function gdal(dataUrl: string, s3Uri: string): string {
  return `export AWS_S3_ENDPOINT=${hostOf(dataUrl)} AWS_VIRTUAL_HOSTING=FALSE CPL_AWS_WEB_IDENTITY_ENABLE=NO
${isHttp(dataUrl) ? 'export AWS_HTTPS=NO\n' : ''}gdalinfo /vsis3/${bucketPath(s3Uri)}raster.tif
`;
}

/** Returns an S3 URI without its scheme. */
function bucketPath(s3Uri: string): string {
  return s3Uri.replace(/^s3:\/\//, '');
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function isHttp(url: string): boolean {
  return url.startsWith('http:');
}
