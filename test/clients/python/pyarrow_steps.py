"""Uses fixed credentials, which boto3 gets with the settings."""

import os

import boto3
from pyarrow import fs

from steps import blocks, serve, write

bucket = "tide-institute"
issued = boto3.Session().get_credentials().get_frozen_credentials()
s3 = fs.S3FileSystem(
    endpoint_override=os.environ["AWS_ENDPOINT_URL_S3"],
    access_key=issued.access_key,
    secret_key=issued.secret_key,
    session_token=issued.token,
)


def at(key):
    return f"{bucket}/{key}"


def upload(file, key):
    with s3.open_output_stream(at(key)) as target:
        for block in blocks(file):
            target.write(block)


def download(key, file):
    write(file, s3.open_input_stream(at(key)).read())


def read_range(key, first, count, file):
    write(file, s3.open_input_file(at(key)).read_at(int(count), int(first)))


def keys(prefix):
    found = s3.get_file_info(fs.FileSelector(at(prefix).rstrip("/"), recursive=True))
    return [info.path.removeprefix(f"{bucket}/") for info in found if info.type == fs.FileType.File]


serve({
    "upload": upload,
    "download": download,
    "range": read_range,
    "list": keys,
    "copy": lambda source, to: s3.copy_file(at(source), at(to)),
    "remove": lambda key: s3.delete_file(at(key)),
})
