"""Signs in through boto3 with the settings alone. The sign-in of object_store puts the key into a URL."""

import obstore
from obstore.auth.boto3 import Boto3CredentialProvider
from obstore.store import S3Store

from steps import blocks, serve, write

s3 = S3Store("tide-institute", credential_provider=Boto3CredentialProvider())


def upload(file, key):
    # By default, it uploads an iterator in parts of 5 MiB.
    obstore.put(s3, key, blocks(file))


def read_range(key, first, count, file):
    write(file, obstore.get_range(s3, key, start=int(first), length=int(count)).to_bytes())


serve({
    "upload": upload,
    "download": lambda key, file: write(file, obstore.get(s3, key).bytes().to_bytes()),
    "range": read_range,
    "list": lambda prefix: [found["path"] for chunk in obstore.list(s3, prefix) for found in chunk],
    "copy": lambda source, to: obstore.copy(s3, source, to),
    "remove": lambda key: obstore.delete(s3, key),
})
