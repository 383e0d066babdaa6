import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientWorld, startClientWorld } from './client-world.ts';
import { findClient } from './installed-client.ts';

const boto3 = findClient('boto3', ['python3', '-c'], {
  versionArgs: ['import boto3; print(boto3.__version__)'],
  // The first that reads the endpoint settings.
  versionMin: '1.28',
});

const program = `
import hashlib, io, sys, boto3
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError
s3 = boto3.client("s3")
bucket, prefix = "tide-institute", "raw-drafts/from boto3/"
body = bytes(range(256)) * 40000
s3.upload_fileobj(io.BytesIO(body), bucket, prefix + "ä+b=c.bin", ExtraArgs={"Metadata": {"station": "brest"}},
                  Config=TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20))
s3.put_object(Bucket=bucket, Key=prefix + "small", Body=b"small", ContentType="text/plain")
print([o["Key"] for o in s3.list_objects_v2(Bucket=bucket, Prefix=prefix)["Contents"]])
got = s3.get_object(Bucket=bucket, Key=prefix + "ä+b=c.bin")
print(hashlib.sha256(got["Body"].read()).digest() == hashlib.sha256(body).digest(), got["Metadata"])
print(s3.get_object(Bucket=bucket, Key=prefix + "small", Range="bytes=-2")["Body"].read())
print(s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": prefix + "small"}]})["Deleted"])
try:
    s3.get_object(Bucket=bucket, Key=prefix + "small")
except ClientError as error:
    print(error)
print(boto3.client("sts").get_caller_identity()["Account"])
`;

describe.skipIf(boto3.isMissing)(boto3.title, () => {
  let world: ClientWorld;
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(() => world.close());

  test('signs in with the five settings and does a whole job', async () => {
    const printed = await boto3.run([program], { ...world.settings, PYTHONIOENCODING: 'utf-8' });
    expect(printed.trim().split('\n')).toEqual([
      "['raw-drafts/from boto3/small', 'raw-drafts/from boto3/ä+b=c.bin']",
      "True {'station': 'brest'}",
      "b'll'",
      "[{'Key': 'raw-drafts/from boto3/small'}]",
      'An error occurred (NoSuchKey) when calling the GetObject operation: The object does not exist.',
      'tide-institute--nightly-sync',
    ]);
  });
});
