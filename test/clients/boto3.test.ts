import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientWorld } from './client-world.ts';
import { findClients, type InstalledClient } from './installed-client.ts';
import { bucket, describeTransfers, type Transfers } from './transfers.ts';

const boto3s = findClients('boto3', ['python3', '-c'], { versionArgs: ['import boto3; print(boto3.__version__)'] });

/** Signs in with the settings alone where the release reads them, and otherwise with the same values said in the program. */
const program = `
import json, os, sys, boto3
from boto3.s3.transfer import TransferConfig
if tuple(map(int, boto3.__version__.split(".")[:2])) >= (1, 28):
    s3 = boto3.client("s3")
else:
    with open(os.environ["AWS_WEB_IDENTITY_TOKEN_FILE"]) as file:
        token = file.read().strip()
    exchange = boto3.client("sts", endpoint_url=os.environ["AWS_ENDPOINT_URL_STS"])
    issued = exchange.assume_role_with_web_identity(
        RoleArn=os.environ["AWS_ROLE_ARN"], RoleSessionName="boto3", WebIdentityToken=token)["Credentials"]
    session = boto3.Session(issued["AccessKeyId"], issued["SecretAccessKey"], issued["SessionToken"])
    s3 = session.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL_S3"])
bucket, [step, *args] = "${bucket}", sys.argv[1:]
parts = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)

def read_range(key, bytes_range, file):
    with open(file, "wb") as target:
        target.write(s3.get_object(Bucket=bucket, Key=key, Range=bytes_range)["Body"].read())

def keys(prefix):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix, PaginationConfig={"PageSize": 3})
    return [found["Key"] for page in pages for found in page.get("Contents", [])]

def sync_up(folder, prefix):
    for root, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(root, name)
            s3.upload_file(file, bucket, prefix + os.path.relpath(file, folder))

def sync_down(prefix, folder):
    for key in keys(prefix):
        file = os.path.join(folder, key[len(prefix):])
        os.makedirs(os.path.dirname(file), exist_ok=True)
        s3.download_file(bucket, key, file)

steps = {
    "upload": lambda file, key: s3.upload_file(file, bucket, key, Config=parts),
    "download": lambda key, file: s3.download_file(bucket, key, file, Config=parts),
    "range": read_range,
    "list": keys,
    "copy": lambda source, to: s3.copy({"Bucket": bucket, "Key": source}, bucket, to, Config=parts),
    "remove": lambda key: s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key}]})["Deleted"],
    "sync_up": sync_up,
    "sync_down": sync_down,
}
print(json.dumps(steps[step](*args)))
`;

async function run(boto3: InstalledClient, world: ClientWorld, ...args: string[]): Promise<unknown> {
  return JSON.parse(await boto3.run([program, ...args], { ...world.settings, PYTHONUTF8: '1' }));
}

function boto3Transfers(boto3: InstalledClient): Transfers {
  return {
    partsOfLarge: 3,
    upload: (world, file, key) => run(boto3, world, 'upload', file, key),
    download: (world, key, file) => run(boto3, world, 'download', key, file),
    readRange: async (world, key, first, last) => {
      const file = path.join(world.folder, 'range');
      await run(boto3, world, 'range', key, `bytes=${first}-${last}`, file);
      return readFile(file);
    },
    list: async (world, prefix) => (await run(boto3, world, 'list', prefix)) as string[],
    copy: (world, from, to) => run(boto3, world, 'copy', from, to),
    remove: (world, key) => run(boto3, world, 'remove', key),
    syncUp: (world, folder, prefix) => run(boto3, world, 'sync_up', folder, prefix),
    syncDown: (world, prefix, folder) => run(boto3, world, 'sync_down', prefix, folder),
  };
}

for (const boto3 of boto3s) describeTransfers(boto3, boto3Transfers(boto3));
