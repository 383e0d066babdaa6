"""Signs in with the settings alone if this version reads them, otherwise with the same values as arguments."""

import os

import boto3
from boto3.s3.transfer import TransferConfig

from steps import serve, write

bucket = "tide-institute"
parts = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)


def connect():
    if tuple(map(int, boto3.__version__.split(".")[:2])) >= (1, 28):
        return boto3.client("s3")
    with open(os.environ["AWS_WEB_IDENTITY_TOKEN_FILE"]) as file:
        token = file.read().strip()
    exchange = boto3.client("sts", endpoint_url=os.environ["AWS_ENDPOINT_URL_STS"])
    issued = exchange.assume_role_with_web_identity(
        RoleArn=os.environ["AWS_ROLE_ARN"], RoleSessionName="boto3", WebIdentityToken=token
    )["Credentials"]
    session = boto3.Session(issued["AccessKeyId"], issued["SecretAccessKey"], issued["SessionToken"])
    return session.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL_S3"])


def read_range(key, first, count, file):
    wanted = f"bytes={first}-{int(first) + int(count) - 1}"
    write(file, s3.get_object(Bucket=bucket, Key=key, Range=wanted)["Body"].read())


def keys(prefix):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix, PaginationConfig={"PageSize": 3})
    return [found["Key"] for page in pages for found in page.get("Contents", [])]


def remove(key):
    s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key}]})["Deleted"]


s3 = connect()
serve({
    "upload": lambda file, key: s3.upload_file(file, bucket, key, Config=parts),
    "download": lambda key, file: s3.download_file(bucket, key, file, Config=parts),
    "range": read_range,
    "list": keys,
    "copy": lambda source, to: s3.copy({"Bucket": bucket, "Key": source}, bucket, to, Config=parts),
    "remove": remove,
})
