"""Signs in through boto3 with the settings alone. smart_open opens and lists objects, boto3 copies and deletes them."""

from smart_open import open as smart_open
from smart_open.s3 import iter_bucket

from steps import blocks, serve, write

bucket = "tide-institute"


def at(key):
    return f"s3://{bucket}/{key}"


def upload(file, key):
    with smart_open(at(key), "wb", transport_params={"min_part_size": 5 << 20}) as target:
        for block in blocks(file):
            target.write(block)


def read_range(key, first, count, file):
    with smart_open(at(key), "rb") as source:
        source.seek(int(first))
        write(file, source.read(int(count)))


def download(key, file):
    with smart_open(at(key), "rb") as source:
        write(file, source.read())


serve({
    "upload": upload,
    "download": download,
    "range": read_range,
    "list": lambda prefix: [key for key, _ in iter_bucket(bucket, prefix=prefix, workers=1)],
})
